import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { cairn, killLeftovers, startServer } from "../support/CairnProcess.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

/** Changes the definition of an index in the schema, and nothing in the index itself. */
const redefine = (database: string, change: (sql: string) => string) => {
  const db = new DatabaseSync(database, { defensive: false })
  try {
    db.exec("PRAGMA writable_schema = ON")
    const { sql } = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'event_action'").get() ?? {}
    assert.isString(sql)
    db.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'event_action'").run(change(String(sql)))
  } finally {
    db.close()
  }
}

describe("an index that lost entries", () => {
  const folder = temporaryFolder()
  killLeftovers()

  it("makes a list short, which cairn verify finds although every hash holds", async () => {
    const database = join(folder, "cairn.db")
    const { key } = await seedTenant(database)
    const lines = Array.from({ length: 30 }, () => JSON.stringify({ actor_id: "ada", action: "file.read" }))
    const file = join(folder, "events.jsonl")
    writeFileSync(file, lines.join("\n"))
    redefine(database, (sql) => `${sql} WHERE 0`)
    await cairn(["import", file], { database })
    redefine(database, (sql) => sql.replace(/ WHERE 0$/, ""))

    const server = await startServer({ database })
    const client = apiClient(server.baseUrl, key)
    assert.lengthOf(await client.list({ action: "file.read" }), 0)
    assert.lengthOf(await client.list({ actor_id: "ada" }), 30)
    assert.isTrue((await client.verify()).valid)

    const { code, stdout } = await cairn(["verify"], { database })
    assert.strictEqual(code, 1)
    assert.match(stdout, /^DAMAGED: /m)
    assert.match(stdout, /event_action/)
    const { stdout: text } = await cairn(["verify", "--json"], { database })
    const found: unknown = JSON.parse(text)
    assert.nestedPropertyVal(found, "valid", true)
    assert.nestedPropertyVal(found, "store.sound", false)
  })
})
