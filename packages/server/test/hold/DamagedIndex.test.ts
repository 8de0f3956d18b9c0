import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { FRAME_EVENTS } from "@cairn/core/log"
import { siblingFile } from "@cairn/storage-sqlite"
import { assert, describe, it } from "@effect/vitest"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { cairn, killLeftovers, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const inFile = <A>(file: string, use: (db: DatabaseSync) => A): A => {
  const db = new DatabaseSync(file, { defensive: false })
  try {
    return use(db)
  } finally {
    db.close()
  }
}

/** Changes the definition of an index in the schema, and nothing in the index itself. */
const redefine = (database: string, change: (sql: string) => string) =>
  inFile(database, (db) => {
    db.exec("PRAGMA writable_schema = ON")
    const { sql } = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'event_created_at'").get() ?? {}
    assert.isString(sql)
    db.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'event_created_at'").run(change(String(sql)))
  })

const action = (name: string, count: number) =>
  Array.from({ length: count }, () => JSON.stringify({ actor_id: "ada", action: name }))

describe("an index that lost entries", () => {
  const folder = temporaryFolder()
  killLeftovers()

  let databases = 0
  const newTenant = async () => {
    const database = join(folder, `${databases++}`, "cairn.db")
    return { database, key: (await seedTenant(database)).key }
  }

  const importEvents = async (database: string, lines: ReadonlyArray<string>) => {
    const file = join(folder, "events.jsonl")
    writeFileSync(file, lines.join("\n"))
    assert.strictEqual((await cairn(["import", file], { database })).code, 0)
  }

  const served = async <A>(database: string, key: string, use: (client: ApiClient) => Promise<A>) => {
    const server = await startServer({ database })
    try {
      return await use(apiClient(server.baseUrl, key))
    } finally {
      await server.stop()
    }
  }

  /** `cairn verify` finds every hash right and the store damaged, and names where. */
  const isFoundDamaged = async (database: string, where: RegExp) => {
    const { code, stdout } = await cairn(["verify"], { database })
    assert.strictEqual(code, 1)
    assert.match(stdout, /^DAMAGED: /m)
    assert.match(stdout, where)
    const { stdout: text } = await cairn(["verify", "--json"], { database })
    const found: unknown = JSON.parse(text)
    assert.nestedPropertyVal(found, "valid", true)
    assert.nestedPropertyVal(found, "store.sound", false)
  }

  it("makes a list short, which cairn verify finds although every hash holds", async () => {
    const { database, key } = await newTenant()
    redefine(database, (sql) => `${sql} WHERE 0`)
    await importEvents(database, action("file.read", 30))
    redefine(database, (sql) => sql.replace(/ WHERE 0$/, ""))

    await served(database, key, async (client) => {
      assert.lengthOf(await client.list({ action: "file.read" }), 0)
      assert.lengthOf(await client.list(), 2)
      assert.deepInclude(await client.verify(), { valid: true, total: 32 })
    })
    await isFoundDamaged(database, /event_created_at/)
  })

  it("of values that somebody replaced hides events, which cairn verify finds too", async () => {
    const { database, key } = await newTenant()
    const search = siblingFile(database, "search")
    const [read, deleted] = [FRAME_EVENTS, FRAME_EVENTS + 50]
    await importEvents(database, [...action("file.read", read), ...action("file.deleted", deleted)])
    await served(database, key, async (client) => {
      await eventually("two frames are written", async () =>
        inFile(search, (db) => db.prepare("SELECT 1 FROM search_frame WHERE number = 1").get())
      )
      assert.lengthOf(await client.list({ action: "file.deleted" }), deleted)
    })
    inFile(search, (db) =>
      db.exec(`UPDATE search_frame SET (since, columns) = (SELECT since, columns FROM search_frame WHERE number = 0)
        WHERE number = 1`)
    )

    await served(database, key, async (client) => {
      assert.isBelow((await client.list({ action: "file.deleted" })).length, deleted)
      assert.lengthOf(await client.list(), 2 + read + deleted)
      assert.isTrue((await client.verify()).valid)
    })
    await isFoundDamaged(database, /search index/)
  })
})
