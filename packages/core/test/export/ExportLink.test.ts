import { Micros } from "@cairn/core/encoding"
import { checkLink, LinkRefused, signLink } from "@cairn/core/export"
import { portableSha256 } from "@cairn/core/hashing"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const NOON = 1_714_564_800_000_000
const sha256 = portableSha256

const parameters = (query: string) => {
  const read = new URLSearchParams(query)
  return { expires: read.get("expires") ?? "", signature: read.get("signature") ?? "" }
}
const given = parameters(signLink(sha256, "key", "export", "exp_1", NOON + Micros.SECOND))
const refused = (reason: "not_authentic" | "expired") => Result.fail(new LinkRefused({ reason }))

describe("a signed link", () => {
  it("is good until its moment", () => {
    assert.deepStrictEqual(checkLink(sha256, "key", "export", "exp_1", given, NOON), Result.void)
    assert.deepStrictEqual(
      checkLink(sha256, "key", "export", "exp_1", given, NOON + Micros.SECOND),
      refused("expired")
    )
  })

  it("is good for one thing, one purpose, one key and one moment", () => {
    const forged = refused("not_authentic")
    assert.deepStrictEqual(checkLink(sha256, "key", "export", "exp_2", given, NOON), forged)
    assert.deepStrictEqual(checkLink(sha256, "key", "export-file", "exp_1", given, NOON), forged)
    assert.deepStrictEqual(checkLink(sha256, "other", "export", "exp_1", given, NOON), forged)
    for (const expires of [
      `${Number(given.expires) + 1}`,
      `0${given.expires}`,
      ` ${given.expires}`,
      "",
      "NaN",
      "1e12"
    ]) {
      assert.deepStrictEqual(checkLink(sha256, "key", "export", "exp_1", { ...given, expires }, NOON), forged)
    }
    for (const signature of [
      "",
      given.signature.toUpperCase(),
      given.signature.slice(1),
      `${given.signature}0`
    ]) {
      assert.deepStrictEqual(
        checkLink(sha256, "key", "export", "exp_1", { ...given, signature }, NOON),
        forged
      )
    }
  })

  it("that is forged and past its time is forged", () => {
    assert.deepStrictEqual(
      checkLink(sha256, "other", "export", "exp_1", given, NOON + Micros.DAY),
      refused("not_authentic")
    )
  })
})
