import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { portableSha256 } from "@cairn/core/hashing"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { equalInConstantTime, hmacSha256, hmacSha256Hex } from "../../src/hashing/HmacSha256.ts"

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"))
const code = (key: string, data: string): string => hmacSha256Hex(portableSha256, bytes(key), bytes(data))

describe("HmacSha256", () => {
  // RFC 4231 section 4, test cases 1 to 4, 6 and 7; case 5 is a truncation.
  it.each([
    ["0b".repeat(20), "4869205468657265", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
    [
      "4a656665",
      "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ],
    ["aa".repeat(20), "dd".repeat(50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"],
    [
      "0102030405060708090a0b0c0d0e0f10111213141516171819",
      "cd".repeat(50),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
    ],
    [
      "aa".repeat(131),
      Buffer.from("Test Using Larger Than Block-Size Key - Hash Key First").toString("hex"),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ],
    [
      "aa".repeat(131),
      Buffer.from(
        "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm."
      ).toString("hex"),
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
    ]
  ])("gives RFC 4231's code under the key %s", (key, data, expected) => {
    assert.strictEqual(code(key, data), expected)
  })

  it("agrees with the native implementation for keys of every length around a block", () => {
    for (let length = 0; length <= 130; length++) {
      const key = Uint8Array.from({ length }, (_, index) => (index * 7 + length) % 256)
      const data = Uint8Array.from({ length: length * 3 }, (_, index) => (index * 11 + length) % 256)
      const native = createHmac("sha256", key).update(data).digest("hex")
      assert.strictEqual(hmacSha256Hex(portableSha256, key, data), native, `${length} bytes`)
    }
  })

  it("takes texts as their UTF-8", () => {
    const native = createHmac("sha256", "schlüssel").update("día 😀").digest("hex")
    assert.strictEqual(hmacSha256Hex(portableSha256, "schlüssel", "día 😀"), native)
  })
})

describe("equalInConstantTime", () => {
  it.each([
    ["", "", true],
    ["abc", "abc", true],
    ["abc", "abd", false],
    ["abc", "abcd", false],
    ["abcd", "abc", false],
    ["abc", "abc\0", false],
    ["", "a", false]
  ])("%j and %j: %s", (one, other, equal) => assert.strictEqual(equalInConstantTime(one, other), equal))
})

const foreign = process.env.CAIRN_FOREIGN

const Wycheproof = Schema.fromJsonString(
  Schema.Struct({
    testGroups: Schema.Array(
      Schema.Struct({
        tagSize: Schema.Number,
        tests: Schema.Array(
          Schema.Struct({
            tcId: Schema.Number,
            key: Schema.String,
            msg: Schema.String,
            tag: Schema.String,
            result: Schema.Literals(["valid", "invalid"])
          })
        )
      })
    )
  })
)

describe.skipIf(foreign === undefined)("HmacSha256 against Wycheproof (needs CAIRN_FOREIGN)", () => {
  it("gives each valid tag and no invalid one", () => {
    const file = join(foreign ?? "", "vectors/jwt/wycheproof/hmac_sha256_test.json")
    const { testGroups } = Schema.decodeUnknownSync(Wycheproof)(readFileSync(file, "utf8"))
    const seen = { valid: 0, invalid: 0 }
    for (const { tagSize, tests } of testGroups) {
      for (const { tcId, key, msg, tag, result } of tests) {
        const computed = hmacSha256(portableSha256, bytes(key), bytes(msg)).subarray(0, tagSize / 8)
        const equal = Buffer.from(computed).toString("hex") === tag
        assert.strictEqual(equal, result === "valid", `case ${tcId}`)
        seen[result]++
      }
    }
    assert.strictEqual(seen.valid + seen.invalid, 174)
    assert.isAbove(seen.invalid, 50)
  })
})
