import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Sha256 } from "@cairn/core/hashing"
import { openCheckpoint, parseVerifierKey } from "@cairn/core/note"
import { portableEd25519 } from "@cairn/verifier"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { apiClient } from "../support/ApiClient.ts"
import { cairn, cairnJson, killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

const decodeKeys = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ number: Schema.Number, key: Schema.String }))
)

const sha256 = Effect.runSync(Effect.provide(Sha256, Sha256.layer))
const trusted = (line: string) => Result.getOrThrow(parseVerifierKey(sha256, line))

describe("cairn checkpoint-key", () => {
  it("shows the keys that open what the server signs, before a rotation and after", {
    timeout: 120_000
  }, async () => {
    const database = join(folder, "keys.db")
    const tenant = await makeTenant("Keys", { database })
    const [first] = decodeKeys(await cairnJson(["checkpoint-key", "show"], { database }))
    const server = await startServer({ database })
    const client = apiClient(server.baseUrl, tenant.key)
    await client.accept({ actor_id: "a", action: "b" })
    const note = String((await client.get("/checkpoint")).body)
    const key = trusted(first?.key ?? "")
    assert.isTrue(Result.isSuccess(openCheckpoint(portableEd25519, note, [key])))

    const { code, stdout } = await cairn(["checkpoint-key", "rotate"], { database })
    assert.strictEqual(code, 0)
    const keys = decodeKeys(await cairnJson(["checkpoint-key", "show"], { database }))
    assert.deepStrictEqual(
      keys.map(({ number }) => number),
      [2, 1]
    )
    assert.strictEqual(stdout.trim(), keys[0]?.key)
    const later = String((await client.get("/checkpoint")).body)
    for (const each of [key, trusted(keys[0]?.key ?? "")]) {
      assert.isTrue(Result.isSuccess(openCheckpoint(portableEd25519, later, [each])), each.keyId)
    }
    await server.stop()
  })

  it("seals its seeds with a key that only the database's owner can read, made once", {
    timeout: 120_000
  }, async () => {
    const database = join(folder, "sealed.db")
    const file = join(folder, "sealed-secret.key")
    await cairnJson(["checkpoint-key", "show"], { database })
    const key = readFileSync(file, "utf8")
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    assert.lengthOf(Buffer.from(key, "base64"), 32)
    await cairnJson(["checkpoint-key", "rotate"], { database })
    assert.strictEqual(readFileSync(file, "utf8"), key)
  })

  it("is needed by processes that share a database, which say so before they start", async () => {
    const database = "postgres://nobody@127.0.0.1:1/nothing"
    const { code, stderr } = await cairn(["serve"], { database, variables: { CAIRN_SECRET_KEY: "" } })
    assert.strictEqual(code, 78)
    assert.match(stderr, /CAIRN_SECRET_KEY/)
  })
})
