import { existsSync, lstatSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { apiClient } from "../support/ApiClient.ts"
import { cairn, cairnJson, killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const Result = Schema.Struct({
  filename: Schema.String,
  bytes: Schema.Number,
  events: Schema.Number,
  waiting: Schema.Number
})
const decodeResult = Schema.decodeUnknownSync(Result)

const folder = temporaryFolder()
killLeftovers()

describe("a backup", () => {
  it("taken under load holds all that was acknowledged before, verifies, and goes on from there when restored", {
    timeout: 300_000
  }, async () => {
    const database = join(folder, "live.db")
    const tenant = await makeTenant("Live", { database })
    const server = await startServer({ database })
    const client = apiClient(server.baseUrl, tenant.key)

    const acknowledged = new Map<string, string>()
    let going = true
    let sent = 0
    const load = Array.from({ length: 8 }, async () => {
      while (going) {
        const idempotency_key = `key-${sent++}`
        const { id } = await client.accept({ actor_id: "a", action: "backup.load", idempotency_key })
        acknowledged.set(idempotency_key, id ?? "")
      }
    })
    await eventually("there is something to copy", () => acknowledged.size > 500 || undefined)
    const before = new Map(acknowledged)
    const target = join(folder, "copies", "monday.db")
    const result = decodeResult(await cairnJson(["backup", target], { database }))
    assert.strictEqual(result.filename, target)
    assert.isAtLeast(result.events + result.waiting, before.size)
    assert.isAbove(result.bytes, 0)
    going = false
    await Promise.all(load)
    await server.stop()
    assert.isAbove(acknowledged.size, before.size, "the load went on meanwhile")

    // Restored: a server on the copy.
    const restored = await startServer({ database: target })
    const copy = apiClient(restored.baseUrl, tenant.key)
    const total = await eventually("what waited is sequenced", async () => {
      const found = await copy.verify()
      return found.events_checked >= result.events + result.waiting ? found : undefined
    })
    assert.isTrue(total.valid)
    const keys = new Set((await copy.list({ action: "backup.load" })).map((event) => event.idempotency_key))
    for (const key of before.keys()) assert.isTrue(keys.has(key), `${key} is in the copy`)

    // Everything that is in the copy is known by its key there, and what is not is taken as new.
    for (const [idempotency_key, id] of acknowledged) {
      const again = await copy.accept({ actor_id: "a", action: "backup.load", idempotency_key })
      assert.strictEqual(again.status, keys.has(idempotency_key) ? "duplicate" : "queued", idempotency_key)
      if (keys.has(idempotency_key)) assert.strictEqual(again.id, id)
    }
    await eventually("what is new is sequenced", async () => {
      const found = await copy.list({ action: "backup.load" })
      return found.length === acknowledged.size || undefined
    })
    assert.isTrue((await copy.verify()).valid)
    await restored.stop()
  })

  it("never overwrites anything, and says what is missing", async () => {
    const database = join(folder, "small.db")
    await makeTenant("Small", { database })
    const target = join(folder, "taken.db")
    writeFileSync(target, "precious")
    const taken = await cairn(["backup", target], { database })
    assert.strictEqual(taken.code, 2)
    assert.include(taken.stderr, "taken.db exists already")

    for (const [name, link] of [
      ["dangling.db", "dangling.db"],
      ["beside.db", "beside-inbox.db"]
    ] as const) {
      symlinkSync(join(folder, "nowhere.db"), join(folder, link))
      const linked = await cairn(["backup", join(folder, name)], { database })
      assert.strictEqual(linked.code, 2)
      assert.include(linked.stderr, `${link} exists already`)
      assert.isTrue(lstatSync(join(folder, link)).isSymbolicLink())
      assert.isFalse(existsSync(join(folder, "nowhere.db")))
    }

    const missing = await cairn(["backup", join(folder, "new.db")], { database: join(folder, "none.db") })
    assert.strictEqual(missing.code, 2)
    assert.include(missing.stderr, "there is no database")
    assert.isFalse(existsSync(join(folder, "new.db")))
  })

  it("is its files and nothing beside them", async () => {
    const database = join(folder, "small.db")
    const { code, stderr } = await cairn(["backup", join(folder, "alone", "copy.db")], { database })
    assert.strictEqual(code, 0, stderr)
    assert.sameMembers(readdirSync(join(folder, "alone")), [
      "copy.db",
      "copy-consumers.db",
      "copy-inbox.db",
      "copy-search.db"
    ])
  })

  it("that cannot be written leaves nothing behind", async () => {
    const database = join(folder, "small.db")
    const file = join(folder, "a-file")
    writeFileSync(file, "")
    const { code, stderr } = await cairn(["backup", join(file, "copy.db")], { database })
    assert.strictEqual(code, 4)
    assert.include(stderr, "a-file/copy.db failed")
  })
})
