import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { apiClient, errorCode } from "../support/ApiClient.ts"
import { cairn, cairnJson, killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

const decodeKeys = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      id: Schema.String,
      prefix: Schema.String,
      name: Schema.NullOr(Schema.String),
      revoked_at: Schema.NullOr(Schema.String)
    })
  )
)
const decodeWorkspaces = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String }))
)

describe("the commands of an operator", () => {
  it("list keys without their secrets, and revoke one for a server that runs", {
    timeout: 120_000
  }, async () => {
    const database = join(folder, "keys.db")
    const { key, keyId, workspaceId } = await makeTenant("Acme", { database })
    const server = await startServer({ database })
    const client = apiClient(server.baseUrl, key)
    assert.strictEqual((await client.get("/events")).status, 200)

    const listed = await cairn(["key", "list", "--workspace", "Acme", "--json"], { database })
    assert.notInclude(listed.stdout, key)
    assert.notMatch(listed.stdout, /hash/)
    const keys = async () =>
      decodeKeys(await cairnJson(["key", "list", "--workspace", workspaceId], { database }))
    assert.deepStrictEqual(
      (await keys()).map(({ id, revoked_at }) => [id, revoked_at]),
      [[keyId, null]]
    )
    assert.isTrue(key.startsWith((await keys())[0]?.prefix ?? "none"))

    const wrong = await cairn(["key", "revoke", "--workspace", "Acme", "key_missing", "--yes"], { database })
    assert.notStrictEqual(wrong.code, 0)
    assert.include(wrong.stderr, "key_missing")
    await cairnJson(["key", "revoke", "--workspace", "Acme", keyId, "--yes"], { database })
    assert.isNotNull((await keys())[0]?.revoked_at)
    const refused = await eventually("it is refused", async () => {
      const answer = await client.get("/events")
      return answer.status === 401 ? answer : undefined
    })
    assert.strictEqual(errorCode(refused), "unauthenticated")
    await server.stop()
  })

  it("list workspaces, on a database that `cairn migrate` has made", { timeout: 120_000 }, async () => {
    const database = join(folder, "workspaces.db")
    const workspaces = async () =>
      decodeWorkspaces(await cairnJson(["workspace", "list"], { database })).map(({ name }) => name)
    const migrated = await cairn(["migrate"], { database })
    assert.strictEqual(migrated.code, 0, migrated.stderr)
    assert.match(migrated.stdout, /is up to date/)
    assert.deepStrictEqual(await workspaces(), [])
    for (const name of ["Acme", "Umbrella"]) await cairnJson(["workspace", "create", name], { database })
    assert.strictEqual((await cairn(["migrate"], { database })).code, 0)
    assert.sameMembers(await workspaces(), ["Acme", "Umbrella"])
    const spread = await cairn(["migrate", "--distribute"], { database })
    assert.strictEqual(spread.code, 2)
    assert.include(spread.stderr, "--distribute needs a PostgreSQL database with Citus")
  })
})
