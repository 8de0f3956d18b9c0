import {
  CheckpointSigner,
  Checkpoints,
  type IssuedCheckpoint,
  LogCheckpoints,
  LogNotAsSigned,
  LogTree
} from "@cairn/core/checkpoint"
import { Sha256, toHex } from "@cairn/core/hashing"
import { EventLog, Workspaces } from "@cairn/core/log"
import { logIdOf, openCheckpoint, parseVerifierKey } from "@cairn/core/note"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Result } from "effect"
import { ed25519, signerOf } from "../support/NodeEd25519.ts"

const WORKSPACE = "wsp_1"
const sha256 = Effect.runSync(Effect.provide(Sha256, Sha256.layer))

/**
 * Of the tree of a size: as if every tile that was ever stored were still there, whatever became of the log.
 */
const rootOf = (size: number) => sha256.bytes(`root ${size}`)

/** Checkpoints of a log of `size` events, after one that was signed. */
const over = (size: number, before?: IssuedCheckpoint, origin: string | null = null) => {
  const issued: Array<IssuedCheckpoint> = []
  const layer = LogCheckpoints.layer.pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.mock(EventLog)({
          head: () =>
            Effect.succeed({ sequence: size, eventHash: null, eventId: null, createdAt: 0, legacy: null })
        }),
        Layer.mock(Workspaces)({ logId: (id) => Effect.succeed(logIdOf(id, origin)) }),
        Layer.mock(LogTree)({ root: (_, at) => Effect.succeed(rootOf(at)) }),
        Layer.mock(Checkpoints)({
          newest: () => Effect.succeed(Option.fromUndefinedOr(before)),
          issue: (_, checkpoint) => Effect.sync(() => void issued.push(checkpoint))
        }),
        Layer.mock(CheckpointSigner)({
          current: Effect.succeed([{ number: 1, name: "cairn/test", signer: signerOf(1) }])
        }),
        Sha256.layer
      )
    )
  )
  const current = Effect.flatMap(LogCheckpoints, (checkpoints) => checkpoints.current(WORKSPACE))
  return { issued, current: Effect.provide(current, layer) }
}

const signed = (size: number, fields: Partial<IssuedCheckpoint> = {}): IssuedCheckpoint => ({
  size,
  root: toHex(rootOf(size)),
  keyNumber: 1,
  note: `the note of ${size}`,
  ...fields
})

describe("the checkpoint of a log", () => {
  it.effect("is signed when it is asked for first, under the log's id", () =>
    Effect.gen(function* () {
      const { current, issued } = over(300)
      const { note, size } = yield* current
      assert.strictEqual(size, 300)
      assert.match(note, /^cairn\/wsp_1\n300\n/)
      assert.lengthOf(issued, 1)
      const { note: named } = yield* over(300, undefined, "audit.example.com").current
      assert.match(named, /^audit\.example\.com\/wsp_1\n300\n/)
    })
  )

  it.effect("is the one that was signed, as long as the log has not grown", () =>
    Effect.gen(function* () {
      const { current, issued } = over(300, signed(300))
      assert.strictEqual((yield* current).note, "the note of 300")
      assert.deepStrictEqual(issued, [])
    })
  )

  it.effect("is signed anew when the log has grown, or the key is another", () =>
    Effect.gen(function* () {
      for (const before of [signed(299), signed(300, { keyNumber: 0 })]) {
        const { current, issued } = over(300, before)
        assert.match((yield* current).note, /^cairn\/wsp_1\n300\n/)
        assert.deepInclude(issued[0], { size: 300, keyNumber: 1 })
      }
    })
  )

  it.effect(
    "is refused for a log that is shorter than one that was signed, though its tree still has that root",
    () =>
      Effect.gen(function* () {
        const { current, issued } = over(200, signed(256))
        const error = yield* Effect.flip(current)
        assert.instanceOf(error, LogNotAsSigned)
        assert.match(error.message, /its end is missing/)
        assert.deepStrictEqual(issued, [])
      })
  )

  it.effect("is refused for a log that begins otherwise than one that was signed", () =>
    Effect.gen(function* () {
      const { current, issued } = over(300, signed(256, { root: "0".repeat(64) }))
      assert.instanceOf(yield* Effect.flip(current), LogNotAsSigned)
      assert.deepStrictEqual(issued, [])
    })
  )

  it.effect("opens with the key that signed it, and carries the root", () =>
    Effect.gen(function* () {
      const { note } = yield* over(5).current
      const line = note.split("\n").at(-2) ?? ""
      const keyId = Buffer.from(line.split(" ").at(-1) ?? "", "base64")
        .subarray(0, 4)
        .toString("hex")
      const key = Buffer.concat([Buffer.of(1), signerOf(1).publicKey]).toString("base64")
      const trusted = Result.getOrThrow(parseVerifierKey(sha256, `cairn/test+${keyId}+${key}`))
      const { checkpoint } = Result.getOrThrow(openCheckpoint(ed25519, note, [trusted]))
      assert.deepStrictEqual(checkpoint.root, rootOf(5))
    })
  )
})
