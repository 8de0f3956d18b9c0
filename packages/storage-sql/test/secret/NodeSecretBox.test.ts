import { createHash, webcrypto } from "node:crypto"
import { SecretUnreadable } from "@cairn/core/hashing"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decodeSecretKeys, InvalidSecretKeys, makeSecretBox } from "../../src/secret/NodeSecretBox.ts"

const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const box = makeSecretBox(key(1))

describe("SecretBox", () => {
  it("opens what it sealed, whatever it holds", () => {
    for (const secret of ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "", "día 😀\0\n", "x".repeat(100_000)]) {
      assert.deepStrictEqual(box.open(box.seal(secret, "whk_1"), "whk_1"), Result.succeed(secret))
    }
  })

  it("seals the same differently each time, and shows nothing of it", () => {
    const sealed = [box.seal("secret", "whk_1"), box.seal("secret", "whk_1")]
    assert.notStrictEqual(sealed[0], sealed[1])
    for (const text of sealed) {
      assert.match(text, /^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$/)
      assert.notInclude(Buffer.from(text.split(".")[2] ?? "", "base64url").toString("latin1"), "secret")
    }
  })

  it("is AES-256-GCM as another implementation has it", async () => {
    const sealed = box.seal("secret", "whk_1")
    const [version, id, encoded] = sealed.split(".")
    const bytes = Buffer.from(encoded ?? "", "base64url")
    const imported = await webcrypto.subtle.importKey("raw", key(1), "AES-GCM", false, ["decrypt"])
    const additionalData = new TextEncoder().encode(`${version}.${id}\nwhk_1`)
    const opened = await webcrypto.subtle.decrypt(
      { name: "AES-GCM", iv: bytes.subarray(0, 12), additionalData },
      imported,
      bytes.subarray(12)
    )
    assert.strictEqual(new TextDecoder().decode(opened), "secret")
    const digest = createHash("sha256").update("cairn.secret-key.v1\n").update(key(1)).digest("hex")
    assert.strictEqual(id, digest.slice(0, 8))
  })

  it("does not open for another owner, with another key, or with any character changed", () => {
    const sealed = box.seal("secret", "whk_1")
    const [, id = ""] = sealed.split(".")
    const failed = (reason: SecretUnreadable["reason"], keyId: string | null) =>
      Result.fail(new SecretUnreadable({ keyId, reason }))
    assert.deepStrictEqual(box.open(sealed, "whk_2"), failed("not_authentic", id))
    assert.deepStrictEqual(makeSecretBox(key(2)).open(sealed, "whk_1"), failed("unknown_key", id))
    for (let at = 0; at < sealed.length - 1; at++) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === "A" ? "B" : "A"}${sealed.slice(at + 1)}`
      assert.isTrue(Result.isFailure(box.open(changed, "whk_1")), `${at}`)
    }
    for (const text of ["", "secret", "v1.", `v1.${id}.`, `v1.${id}.AAAA`, `v2.${id}.${"A".repeat(80)}`]) {
      assert.isTrue(Result.isFailure(box.open(text, "whk_1")), text)
    }
    const cut = `${sealed.split(".").slice(0, 2).join(".")}.${Buffer.from(
      sealed.split(".")[2] ?? "",
      "base64url"
    )
      .subarray(0, -1)
      .toString("base64url")}`
    assert.isTrue(Result.isFailure(box.open(cut, "whk_1")), "a shorter tag")
  })

  it("seals with the newest key and opens with the older ones", () => {
    const old = box.seal("secret", "whk_1")
    const both = makeSecretBox(key(2), key(1))
    assert.deepStrictEqual(both.open(old, "whk_1"), Result.succeed("secret"))
    assert.isFalse(both.isCurrent(old))
    const anew = both.seal("secret", "whk_1")
    assert.isTrue(both.isCurrent(anew))
    assert.deepStrictEqual(makeSecretBox(key(2)).open(anew, "whk_1"), Result.succeed("secret"))
  })

  it("reads keys as base64 of 32 bytes, and tells which is none without telling it", () => {
    const text = (byte: number) => Buffer.from(key(byte)).toString("base64")
    const read = Result.getOrThrow(decodeSecretKeys(`${text(1)}, ${text(2)}`))
    assert.deepStrictEqual(
      read.map((each) => new Uint8Array(each)),
      [key(1), key(2)]
    )
    for (const wrong of ["", "secret", `${text(1)}=`, text(1).slice(4), `${text(1)}AAAA`]) {
      const failure = decodeSecretKeys(`${text(3)},${wrong}`)
      assert.deepStrictEqual(failure, Result.fail(new InvalidSecretKeys({ place: 2 })))
    }
  })
})
