import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { apiClient } from "../support/ApiClient.ts"
import { cairn, cairnJson, killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { testDatabases } from "../support/TestDatabase.ts"

const folder = temporaryFolder()
killLeftovers()

const decodeMade = Schema.decodeUnknownSync(
  Schema.Struct({ name: Schema.String, holds: Schema.Boolean, events: Schema.Number, waiting: Schema.Number })
)
const decodeRestored = Schema.decodeUnknownSync(
  Schema.Struct({
    restored: Schema.Boolean,
    replaced: Schema.NullOr(Schema.String),
    losses: Schema.Array(Schema.Struct({ events_lost: Schema.Number }))
  })
)

describe("backups of PostgreSQL", () => {
  const { newDatabase } = testDatabases("PostgreSQL")

  it("hold all that was acknowledged before, block nobody, and are restored anywhere by one command", {
    timeout: 300_000
  }, async () => {
    const { database, rows } = await newDatabase()
    const variables = {
      CAIRN_BACKUP_STORE: join(folder, "store"),
      CAIRN_BACKUP_FOLDER: join(folder, "scratch"),
      CAIRN_BACKUP_EVERY_SECONDS: "0"
    }
    const options = { database, variables }
    const tenant = await makeTenant("Live", options)
    const server = await startServer(options)
    const client = apiClient(server.baseUrl, tenant.key)
    let going = true
    let acknowledged = 0
    const load = Array.from({ length: 4 }, async () => {
      while (going) {
        await client.accept({ actor_id: "a", action: "backup.load" })
        acknowledged++
      }
    })
    await eventually("there is something to copy", () => acknowledged > 100 || undefined)
    const before = acknowledged
    const made = decodeMade(await cairnJson(["backup"], options))
    const after = acknowledged
    going = false
    await Promise.all(load)
    assert.isTrue(made.holds)
    assert.isAtLeast(made.events + made.waiting, before)
    assert.isAbove(after, before, "the load went on meanwhile")
    // A checkpoint of more than the backup has.
    await eventually("all is sequenced", async () => {
      const { events_checked } = await client.verify()
      return events_checked >= acknowledged || undefined
    })
    assert.strictEqual((await client.request("GET", "/api/v1/checkpoint")).status, 200)
    await server.stop()
    assert.deepStrictEqual(readdirSync(join(folder, "scratch")), [])

    // Into an empty PostgreSQL, and into a SQLite file.
    const empty = await newDatabase()
    const elsewhere = { database: empty.database, variables }
    const restored = decodeRestored(await cairnJson(["restore", "latest"], elsewhere))
    assert.isTrue(restored.restored)
    assert.isNull(restored.replaced)
    assert.strictEqual((await cairn(["verify"], elsewhere)).code, 0)
    const filename = join(folder, "opened", "cairn.db")
    const file = await cairn(["restore", made.name], { database: filename, variables })
    assert.strictEqual(file.code, 0, file.stderr)
    const refused = await cairn(["restore", "latest"], elsewhere)
    assert.strictEqual(refused.code, 2)
    assert.include(refused.stderr, "--replace puts the backup in its place")

    // Over what is there, which is kept; what was signed of it is known.
    const replacing = decodeRestored(await cairnJson(["restore", "latest", "--replace"], options))
    const schema = /^the schema (cairn_replaced_\w+)$/.exec(replacing.replaced ?? "")?.[1]
    assert.isDefined(schema)
    assert.isAbove(replacing.losses[0]?.events_lost ?? 0, 0)
    const [kept] = await rows(`SELECT sum(sequence) AS events FROM ${schema}.head`)
    assert.isAtLeast(Number(kept?.events), acknowledged)
    const recover = await cairn(["recover"], options)
    assert.include(recover.stdout + recover.stderr, "that a checkpoint was signed for")
    const back = await startServer(options)
    const again = apiClient(back.baseUrl, tenant.key)
    await again.accept({ actor_id: "a", action: "backup.after" })
    assert.strictEqual((await again.request("GET", "/api/v1/checkpoint")).status, 503)
    await back.stop()
  })
})
