import { parseToken, payloadText } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"

const base64url = (text: string | Uint8Array): string => Buffer.from(text).toString("base64url")
/** What a signature looks like; nothing here checks it. */
const MAC = base64url(new Uint8Array(32).fill(7))
const tokenOf = (header: string, payload: string): string =>
  `${base64url(header)}.${base64url(payload)}.${MAC}`
const token = tokenOf('{"alg":"HS256","kid":"kid","typ":"JWT"}', '{"a":"ü"}')

describe("the form of a token", () => {
  it("is three parts, of which one names the key and one is the payload", () => {
    const parsed = parseToken(token)
    assert.strictEqual(parsed?.keyId, "kid")
    assert.strictEqual(parsed?.text, token)
    assert.strictEqual(parsed === undefined ? undefined : payloadText(parsed), '{"a":"ü"}')
  })

  it("is base64url in each part, and nothing besides", () => {
    for (let at = 0; at <= token.length; at++) {
      for (const more of ["=", " ", "\n", "+", "/", "."]) {
        assert.isUndefined(parseToken(token.slice(0, at) + more + token.slice(at)), `${more} at ${at}`)
      }
    }
    assert.isUndefined(parseToken(token.slice(0, token.lastIndexOf("."))))
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
      assert.isUndefined(parseToken(twin))
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
    it(`has no header ${header || "of nothing"}`, () => {
      assert.isUndefined(parseToken(tokenOf(header, "{}")))
      const [head, body] = tokenOf(header, "{}").split(".")
      assert.isUndefined(parseToken(`${head}.${body}.`))
    })
  }

  it("is not looked at in a text that is longer than any of ours", () => {
    assert.isUndefined(parseToken(tokenOf('{"alg":"HS256","kid":"kid"}', "x".repeat(10_000))))
  })
})
