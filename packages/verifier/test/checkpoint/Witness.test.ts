/** A checkpoint that a witness has cosigned (C2SP tlog-cosignature), in a bundle and on its own. */
import { encodeBase64 } from "@cairn/core/encoding"
import {
  makeVerifierKey,
  openCheckpoint,
  parseCheckpoint,
  parseNote,
  parseVerifierKey
} from "@cairn/core/note"
import { testBundle, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { portableEd25519, type Report } from "../../src/index.ts"
import { serviceKey, sha256, signer, signerOf, verify } from "../Bundles.ts"

const NAME = "witness.example.com/w1"
const witness = signerOf(21)
const witnessKey = Result.getOrThrow(makeVerifierKey(sha256, NAME, witness.publicKey, "cosignature/v1"))

/** 2024-05-02T00:00:00Z. */
const TIME = 1_714_608_000

/** The line that a witness adds to a note whose text it saw, by the words of the specification. */
const cosignature = (text: string, time = TIME): string => {
  const message = new TextEncoder().encode(`cosignature/v1\ntime ${time}\n${text}`)
  const signature = Buffer.alloc(4 + 8)
  signature.write(witnessKey.keyId, "hex")
  signature.writeBigUInt64BE(BigInt(time), 4)
  return `— ${NAME} ${Buffer.concat([signature, witness.sign(message)]).toString("base64")}\n`
}

const bundle = testBundle(testLog({ events: 20, periods: [10] }), { signer })

/** The bundle with its checkpoint changed. */
const withNote = (change: (note: string) => string): ReadonlyArray<string> =>
  bundle.map((line) => {
    if (!line.includes('"type":"checkpoint"')) return line
    return line.replace(/"note":("(?:[^"\\]|\\.)*")/, (_, note: string) => {
      return `"note":${JSON.stringify(change(JSON.parse(note) as string))}`
    })
  })

const textOf = (note: string): string => Result.getOrThrow(parseNote(note)).text
const cosigned = withNote((note) => note + cosignature(textOf(note)))

const signatures = ({ proven }: Report) =>
  proven.map(({ message }) => message).filter((message) => message.startsWith("It is signed by"))

describe("a witness's cosignature", () => {
  it("has a key that is read from the line that an auditor types", () => {
    const typed = `${NAME}+${witnessKey.keyId}+${encodeBase64(Uint8Array.of(4, ...witness.publicKey))}`
    assert.deepStrictEqual(Result.getOrThrow(parseVerifierKey(sha256, typed)), witnessKey)
  })

  it.effect("is as good as the service's signature to whoever trusts the witness, and says when", () =>
    Effect.gen(function* () {
      const report = yield* verify(cosigned, { trustedKeys: [witnessKey] })
      assert.strictEqual(report.verdict, "intact", JSON.stringify(report.failed))
      const [one, ...more] = signatures(report)
      assert.match(
        one ?? "",
        /^It is signed by witness\.example\.com\/w1\+.*, which saw it at 2024-05-02T00:00:00/
      )
      assert.deepStrictEqual(more, [])
    })
  )

  it.effect("stands beside the service's own", () =>
    Effect.gen(function* () {
      const report = yield* verify(cosigned, { trustedKeys: [serviceKey, witnessKey] })
      assert.strictEqual(report.verdict, "intact")
      assert.lengthOf(signatures(report), 2)
      const alone = yield* verify(cosigned)
      assert.strictEqual(alone.verdict, "intact")
      assert.lengthOf(signatures(alone), 1)
    })
  )

  it.effect("is missed by whoever trusts the witness alone", () =>
    Effect.gen(function* () {
      const report = yield* verify(bundle, { trustedKeys: [witnessKey] })
      assert.deepStrictEqual(
        report.failed.map(({ code }) => code),
        ["checkpoint_not_signed"]
      )
    })
  )

  const forgeries: Record<string, (note: string) => string> = {
    "of another text": (note) => note + cosignature(textOf(note).replace("\n20\n", "\n21\n")),
    "of another time": (note) =>
      note +
      cosignature(textOf(note)).replace(/\S+\n$/, (base64) => {
        const bytes = Buffer.from(base64, "base64")
        bytes.writeBigUInt64BE(BigInt(TIME + 1), 4)
        return `${bytes.toString("base64")}\n`
      })
  }
  for (const [what, forge] of Object.entries(forgeries)) {
    it.effect(`${what} is none, even beside a right signature of the service`, () =>
      Effect.gen(function* () {
        const report = yield* verify(withNote(forge), { trustedKeys: [serviceKey, witnessKey] })
        assert.deepStrictEqual(
          report.failed.map(({ code }) => code),
          ["checkpoint_not_signed"]
        )
      })
    )
  }

  it.effect("is not looked at under a text that is too long to be hashed for each signature", () =>
    Effect.gen(function* () {
      for (const [length, verdict] of [
        [16_000, "intact"],
        [17_000, "tampered"]
      ] as const) {
        const long = withNote((note) => {
          const text = `${textOf(note)}${"x".repeat(length)}\n`
          return `${text}\n${cosignature(text)}`
        })
        const report = yield* verify(long, { trustedKeys: [witnessKey] })
        assert.strictEqual(report.verdict, verdict, JSON.stringify(report.failed))
        if (verdict === "tampered") {
          assert.include(
            report.failed.map(({ code }) => code),
            "checkpoint_malformed"
          )
          assert.deepStrictEqual(signatures(report), [])
        }
      }
    })
  )

  it("opens a checkpoint that nobody else has signed", () => {
    const text = "cairn/wsp\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"
    const note = `${text}\n${cosignature(text)}`
    const opened = Result.getOrThrow(openCheckpoint(portableEd25519, note, [witnessKey]))
    assert.deepStrictEqual(opened.checkpoint, Result.getOrThrow(parseCheckpoint(text)))
    assert.deepStrictEqual(
      opened.verified.map(({ timestamp }) => timestamp),
      [TIME]
    )
  })
})
