import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { portableSha256 } from "@cairn/core/hashing"
import { parseToken, payloadText } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { hmacSha256 } from "../../src/hashing/HmacSha256.ts"
import { isSignedWith, signToken } from "../../src/workspace/JsonWebSignature.ts"

const foreign = process.env.CAIRN_FOREIGN
const sha256 = portableSha256
const key = new Uint8Array(32).fill(7)
const token = signToken(sha256, key, "kid", '{"a":"ü"}')

const base64url = (text: string): string => Buffer.from(text).toString("base64url")
/** A token with any header, rightly signed. */
const signed = (header: string, payload = "{}"): string => {
  const text = `${base64url(header)}.${base64url(payload)}`
  return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`
}

const accepts = (text: string, using = key): boolean => {
  const parsed = parseToken(text)
  return parsed !== undefined && isSignedWith(sha256, using, parsed)
}

describe("a signed token", () => {
  it("is three parts of base64url, header first", () => {
    const [header = "", payload = ""] = token.split(".")
    assert.strictEqual(Buffer.from(header, "base64url").toString(), '{"alg":"HS256","kid":"kid","typ":"JWT"}')
    assert.strictEqual(Buffer.from(payload, "base64url").toString(), '{"a":"ü"}')
    assert.strictEqual(token, signed('{"alg":"HS256","kid":"kid","typ":"JWT"}', '{"a":"ü"}'))
  })

  it("is accepted with its key and gives back its payload", () => {
    assert.isTrue(accepts(token))
    const parsed = parseToken(token)
    assert.strictEqual(parsed?.keyId, "kid")
    assert.strictEqual(parsed === undefined ? undefined : payloadText(parsed), '{"a":"ü"}')
    assert.isFalse(accepts(token, new Uint8Array(32).fill(8)))
  })

  it("is refused when any character of it is another", () => {
    for (let at = 0; at < token.length; at++) {
      for (const other of ["A", "B", "_", ".", "=", " ", "+"]) {
        if (token[at] === other) continue
        assert.isFalse(accepts(token.slice(0, at) + other + token.slice(at + 1)), `${other} at ${at}`)
      }
    }
  })

  it("is refused when anything is added to it or left out", () => {
    for (let at = 0; at <= token.length; at++) {
      assert.isFalse(accepts(token.slice(0, at) + token.slice(at + 1)) && at < token.length, `without ${at}`)
      for (const more of ["A", "=", " ", "\n", "."])
        assert.isFalse(accepts(token.slice(0, at) + more + token.slice(at)))
    }
  })

  it("has one spelling: unused bits that are not zero are refused", () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    // 32 bytes leave two unused bits in the last character.
    const last = alphabet.indexOf(token.at(-1) ?? "")
    for (const bits of [1, 2, 3]) {
      const twin = token.slice(0, -1) + alphabet.charAt(last + bits)
      assert.strictEqual(
        Buffer.from(twin.split(".")[2] ?? "", "base64url").toString("hex"),
        Buffer.from(token.split(".")[2] ?? "", "base64url").toString("hex"),
        "a lenient reader sees no difference"
      )
      assert.isFalse(accepts(twin))
    }
  })

  for (const header of [
    '{"alg":"none","kid":"kid"}',
    '{"alg":"None","kid":"kid"}',
    '{"alg":"hs256","kid":"kid"}',
    '{"alg":"HS512","kid":"kid"}',
    '{"alg":"RS256","kid":"kid"}',
    '{"alg":["HS256"],"kid":"kid"}',
    '{"kid":"kid"}',
    '{"alg":"HS256"}',
    '{"alg":"HS256","kid":1}',
    '{"alg":"HS256","kid":"kid","crit":["exp"]}',
    '["HS256"]',
    '"HS256"',
    "",
    "{",
    '\uFEFF{"alg":"HS256","kid":"kid"}'
  ]) {
    it(`is refused with the header ${header || "of nothing"}, however well it is signed`, () => {
      assert.isUndefined(parseToken(signed(header)))
      const [head, body] = signed(header).split(".")
      assert.isUndefined(parseToken(`${head}.${body}.`))
    })
  }

  it("that is longer than any of ours is not looked at", () => {
    assert.isUndefined(parseToken(signToken(sha256, key, "kid", "x".repeat(10_000))))
  })
})

const Signatures = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      testGroups: Schema.Array(
        Schema.Struct({
          private: Schema.optionalKey(
            Schema.Struct({ kty: Schema.String, k: Schema.optionalKey(Schema.String) })
          ),
          tests: Schema.Array(
            Schema.Struct({
              tcId: Schema.Number,
              comment: Schema.String,
              jws: Schema.Union([Schema.String, Schema.Unknown]),
              result: Schema.String
            })
          )
        })
      )
    })
  )
)
const Codes = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      testGroups: Schema.Array(
        Schema.Struct({
          tagSize: Schema.Number,
          tests: Schema.Array(
            Schema.Struct({
              key: Schema.String,
              msg: Schema.String,
              tag: Schema.String,
              result: Schema.String
            })
          )
        })
      )
    })
  )
)

/**
 * Cases whose outcome is not what their name says. 367 and 370 are, character for character, the valid token
 * of case 357: their padding was lost on the way. 372 and 373 have a `?` in the middle of a part, which RFC
 * 7515 does not allow, and are called valid.
 */
const OTHERWISE: ReadonlyMap<number, boolean> = new Map([
  [367, true],
  [370, true],
  [372, false],
  [373, false]
])

describe.skipIf(foreign === undefined)("Wycheproof (needs CAIRN_FOREIGN)", () => {
  const read = (name: string) => readFileSync(join(foreign ?? "", "vectors/jwt/wycheproof", name), "utf8")

  it("every HS256 signature is accepted or refused as it should be", () => {
    let count = 0
    for (const { private: jwk, tests } of Signatures(read("json_web_signature_test.json")).testGroups) {
      if (jwk?.kty !== "oct" || jwk.k === undefined) continue
      const secret = new Uint8Array(Buffer.from(jwk.k, "base64url"))
      for (const { tcId, comment, jws, result } of tests) {
        const text = typeof jws === "string" ? jws : JSON.stringify(jws)
        assert.strictEqual(
          accepts(text, secret),
          OTHERWISE.get(tcId) ?? result === "valid",
          `${tcId} ${comment}`
        )
        count++
      }
    }
    assert.strictEqual(count, 40)
  })

  it("no token that is meant for a key pair is accepted", () => {
    for (const { private: jwk, tests } of Signatures(read("json_web_signature_test.json")).testGroups) {
      if (jwk?.kty === "oct") continue
      for (const { jws } of tests) {
        const text = typeof jws === "string" ? jws : JSON.stringify(jws)
        assert.isFalse(accepts(text))
        const header = Buffer.from(text.split(".")[0] ?? "", "base64url").toString()
        if (!header.includes("HS256")) assert.isUndefined(parseToken(text))
      }
    }
  })

  it("every HMAC-SHA256 is the one computed, or is not", () => {
    let count = 0
    for (const { tagSize, tests } of Codes(read("hmac_sha256_test.json")).testGroups) {
      for (const { key: secret, msg, tag, result } of tests) {
        const code = Buffer.from(hmacSha256(sha256, Buffer.from(secret, "hex"), Buffer.from(msg, "hex")))
        assert.strictEqual(code.toString("hex").slice(0, tagSize / 4) === tag, result === "valid")
        count++
      }
    }
    assert.strictEqual(count, 174)
  })
})
