import { layerSeededRandomness, MemoryStorage } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Result } from "effect"
import { CheckpointSigner, Ed25519Signers } from "../../src/checkpoint/CheckpointSigner.ts"
import { Checkpoints } from "../../src/checkpoint/Checkpoints.ts"
import { SecretBox } from "../../src/hashing/SecretBox.ts"
import { Sha256 } from "../../src/hashing/Sha256.ts"

const signers = Layer.mock(Ed25519Signers)({
  fromSeed: (seed) => ({ publicKey: seed, sign: () => new Uint8Array(64) })
})
const box = Layer.mock(SecretBox)({
  seal: (text: string) => text,
  open: (text: string) => Result.succeed(text),
  isCurrent: () => true
})

/**
 * The numbers of the keys that sign, and what the log says, after checkpoints were signed by keys that are
 * gone.
 */
const keysAfter = (signedBy: ReadonlyArray<number>) => {
  const lines: Array<string> = []
  return Effect.gen(function* () {
    const checkpoints = yield* Checkpoints
    for (const [index, keyNumber] of signedBy.entries())
      yield* checkpoints.issue(`wsp_${index}`, { size: 10, root: "0".repeat(64), keyNumber, note: "note" })
    const { current, list } = yield* CheckpointSigner
    yield* list
    const numbers = (yield* current).map(({ number }) => number)
    return { numbers, errors: lines.filter((line) => line.includes("ERROR")) }
  }).pipe(
    Effect.provide(
      CheckpointSigner.layer.pipe(
        Layer.provide([signers, box, Sha256.layer, layerSeededRandomness(1)]),
        Layer.provideMerge(MemoryStorage.layer({}))
      )
    ),
    Effect.provide(Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))]))
  )
}

describe("the first key", () => {
  it.live("is the first where nothing is signed, and nothing is said", () =>
    Effect.map(keysAfter([]), (found) => assert.deepStrictEqual(found, { numbers: [1], errors: [] }))
  )

  for (const signedBy of [[1], [1, 3, 2]]) {
    it.live(`beside checkpoints of lost keys ${signedBy} takes no number of theirs, and is told of`, () =>
      Effect.map(keysAfter(signedBy), ({ numbers, errors }) => {
        assert.deepStrictEqual(numbers, [Math.max(...signedBy) + 1])
        assert.lengthOf(errors, 1)
        assert.include(errors[0], "keys that signed the checkpoints are not in the database")
      })
    )
  }
})
