import { anchorPayload, logIdHash, parseAnchorPayload, previousAnchorHash } from "@cairn/core/anchor"
import { nativeSha256, portableSha256 } from "@cairn/core/hashing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"

const generated = generatedTests(import.meta.url)

const sha256 = nativeSha256 ?? portableSha256
const [A, B, C] = ["a".repeat(64), "b".repeat(64), "c".repeat(64)]
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(text)

describe("anchorPayload", () => {
  it("is cairn1, then log, root and anchor before of each, zeros where there is none before", () => {
    const payload = anchorPayload([
      { logIdHash: A, merkleRoot: B, previousAnchorHash: null },
      { logIdHash: C, merkleRoot: A, previousAnchorHash: B }
    ])
    assert.strictEqual(text(Result.getOrThrow(payload)), `636169726e31${A}${B}${"0".repeat(64)}${C}${A}${B}`)
  })

  it("is read as it was written", () => {
    const entry = fc.record({
      logIdHash: hash,
      merkleRoot: hash,
      previousAnchorHash: fc.option(hash.filter((one) => !/^0+$/.test(one)))
    })
    generated.property(
      fc.property(fc.array(entry, { maxLength: 5 }), (entries) => {
        const payload = Result.getOrThrow(anchorPayload(entries))
        assert.strictEqual(payload.length, 6 + 96 * entries.length)
        assert.deepStrictEqual(Result.getOrThrow(parseAnchorPayload(payload)), entries)
      })
    )
  })

  it("is not made of what is no hash", () => {
    for (const merkleRoot of ["", A.slice(1), A.toUpperCase(), `0x${A.slice(2)}`]) {
      const payload = anchorPayload([{ logIdHash: A, merkleRoot, previousAnchorHash: null }])
      assert.isTrue(Result.isFailure(payload), merkleRoot)
    }
  })
})

describe("parseAnchorPayload", () => {
  const reasonOf = (hex: string) =>
    Result.match(parseAnchorPayload(Uint8Array.from(Buffer.from(hex, "hex"))), {
      onFailure: ({ reason }) => reason,
      onSuccess: () => "read"
    })

  it("refuses what does not begin as a payload, or does not hold whole anchors", () => {
    assert.strictEqual(reasonOf(""), "not_cairn")
    assert.strictEqual(reasonOf("636169726e"), "not_cairn")
    assert.strictEqual(reasonOf(`636169726e32${A}${B}${C}`), "not_cairn")
    assert.strictEqual(reasonOf(`636169726e31${A}${B}`), "length")
    assert.strictEqual(reasonOf(`636169726e31${A}${B}${C}00`), "length")
    assert.strictEqual(reasonOf("636169726e31"), "read")
  })
})

describe("what anchors are linked by", () => {
  // printf 'aaa…a0xbbb…b' | sha256sum
  it("is the SHA-256 of root and transaction as they are shown, one after the other", () => {
    const linked = previousAnchorHash(sha256, { merkle_root: A, tx_hash: `0x${B}` })
    assert.strictEqual(linked, sha256.hex(`${A}0x${B}`))
    assert.strictEqual(previousAnchorHash(sha256, { merkle_root: A, tx_hash: null }), sha256.hex(A))
  })

  it("names a log by the SHA-256 of its id", () => {
    assert.strictEqual(
      logIdHash(sha256, "abc"),
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
  })
})
