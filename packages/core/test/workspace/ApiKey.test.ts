import { crc32 } from "node:zlib"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { type RandomnessShape, webCryptoRandomness } from "../../src/hashing/Randomness.ts"
import { apiKeyPublicId, DEFAULT_SCOPES, generateApiKey, Scope } from "../../src/workspace/ApiKey.ts"

const generated = generatedTests(import.meta.url)

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** The checksum as its definition has it, over zlib's CRC-32. */
const checksumOf = (body: string): string => {
  let text = ""
  for (let rest = crc32(body); text.length < 6; rest = Math.floor(rest / 62))
    text = BASE62.charAt(rest % 62) + text
  return text
}

/** Randomness that gives these bytes one after the other, over and over. */
const repeating = (...source: ReadonlyArray<number>): RandomnessShape => {
  let at = 0
  return { bytes: (count) => Uint8Array.from({ length: count }, () => source[at++ % source.length] ?? 0) }
}

const random = webCryptoRandomness()
const { key, publicId } = generateApiKey(random)

const base62 = (length: number) =>
  FastCheck.string({ unit: FastCheck.constantFrom(...BASE62), minLength: length, maxLength: length })

describe("an API key", () => {
  it("is cairn_, 8 characters of public id, 32 of secret and 6 of checksum, all base62", () => {
    assert.match(key, /^cairn_[0-9A-Za-z]{46}$/)
    assert.strictEqual(publicId, key.slice(6, 14))
  })

  it("ends in the CRC-32 of all that stands before, in base62 with leading zeros", () => {
    // Its CRC-32 is 0xe8b7a6d4; the other's is below 62^5, so that its checksum begins with a zero.
    for (const body of [`cairn_${"0".repeat(40)}`, `cairn_${"0".repeat(38)}0m`]) {
      assert.strictEqual(apiKeyPublicId(body + checksumOf(body)), "00000000")
    }
    generated.property(
      FastCheck.property(base62(8), base62(32), (id, secret) => {
        const body = `cairn_${id}${secret}`
        return apiKeyPublicId(body + checksumOf(body)) === id
      })
    )
    for (let count = 0; count < 200; count++) {
      const made = generateApiKey(random).key
      assert.strictEqual(made.slice(-6), checksumOf(made.slice(0, -6)))
    }
  })

  it("names its public id without a look-up", () => {
    for (let count = 0; count < 200; count++) {
      const made = generateApiKey(random)
      assert.strictEqual(apiKeyPublicId(made.key), made.publicId)
    }
  })

  it("with any one character changed is none", () => {
    for (let at = 0; at < key.length; at++) {
      for (const character of `${BASE62}_- .`) {
        if (character === key.charAt(at)) continue
        const changed = key.slice(0, at) + character + key.slice(at + 1)
        assert.isUndefined(apiKeyPublicId(changed), `${character} at ${at}`)
      }
    }
  })

  it("with two neighbours exchanged, one lost or one doubled is none", () => {
    for (let at = 0; at < key.length - 1; at++) {
      const [before, one, two, after] = [
        key.slice(0, at),
        key.charAt(at),
        key.charAt(at + 1),
        key.slice(at + 2)
      ]
      if (one !== two) assert.isUndefined(apiKeyPublicId(before + two + one + after), `exchanged at ${at}`)
      assert.isUndefined(apiKeyPublicId(before + two + after), `lost at ${at}`)
      assert.isUndefined(apiKeyPublicId(before + one + one + two + after), `doubled at ${at}`)
    }
  })

  it.each([
    ["nothing", ""],
    ["another prefix", key.replace("cairn_", "ghp_00")],
    ["no prefix", key.slice(6)],
    ["its prefix in capitals", key.replace("cairn_", "CAIRN_")],
    ["a space before it", ` ${key}`],
    ["a space after it", `${key} `],
    ["a line break after it", `${key}\n`],
    ["quotes around it", `"${key}"`],
    ["Bearer before it", `Bearer ${key}`],
    ["another key after it", key + key],
    ["a fullwidth digit in it", `${key.slice(0, 20)}\uFF11${key.slice(21)}`]
  ])("is not %s", (_, text) => {
    assert.isUndefined(apiKeyPublicId(text))
  })

  it("has each character as often as any other", () => {
    const counts = new Map<string, number>()
    for (let byte = 0; byte < 248; byte++) {
      const character = generateApiKey(repeating(byte)).publicId.charAt(0)
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
    assert.sameMembers([...counts.keys()], [...BASE62])
    assert.deepStrictEqual([...new Set(counts.values())], [4])
  })

  it("takes none from a byte beyond the last multiple of 62, which would favour some", () => {
    const plain = generateApiKey(repeating(7, 61, 62, 200))
    const mixed = generateApiKey(repeating(248, 7, 255, 61, 251, 62, 249, 200))
    assert.deepStrictEqual(mixed, plain)
  })

  it("is another one each time", () => {
    const made = Array.from({ length: 1_000 }, () => generateApiKey(random))
    assert.strictEqual(new Set(made.map((each) => each.publicId)).size, made.length)
    assert.strictEqual(new Set(made.map((each) => each.key.slice(14, 46))).size, made.length)
  })

  it("may do everything but administer, unless it was made otherwise", () => {
    assert.sameMembers([...DEFAULT_SCOPES, "admin"], [...Scope.literals])
    assert.notInclude(DEFAULT_SCOPES, "admin")
  })
})
