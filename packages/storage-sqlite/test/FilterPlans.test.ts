import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { EventFilter } from "@cairn/core"
import { fromFiltered } from "@cairn/storage-sql"
import { MIGRATIONS, SqliteClient } from "@cairn/storage-sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "cairn-plans-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const filename = join(folder, "plans.db")

const db = new DatabaseSync(filename)
for (const statements of MIGRATIONS.log) db.exec(statements)

/** How SQLite would look for the events of a filter, without any statistics. */
const planOf = (filter: EventFilter) =>
  Effect.gen(function* () {
    const sql = yield* SqliteClient.SqliteClient
    const from = fromFiltered(sql, 1, filter, { from: 1, to: 1_000_000 })
    const rows = yield* sql`EXPLAIN QUERY PLAN SELECT e.sequence ${from} ORDER BY e.sequence DESC LIMIT 26`
    return rows.map(({ detail }) => String(detail))
  }).pipe(Effect.provide(SqliteClient.layer({ filename })))

const one: Record<string, EventFilter> = {
  "an action": { action: "document.read" },
  "a prefix of the action": { action: "document.*" },
  "an actor": { actorId: "ada" },
  "a resource type": { resource: "document" },
  "a resource": { resourceId: "42" },
  "a tenant": { tenantId: "acme" },
  "a session": { sessionId: "s" },
  "a target type": { targetType: "folder" },
  "a target": { targetId: "7" },
  nothing: {}
}

describe("SQLite looks for the events of a filter", () => {
  for (const [name, filter] of Object.entries(one)) {
    it.live(`by ${name}, from an index`, () =>
      Effect.gen(function* () {
        const plan = yield* planOf(filter)
        assert.isFalse(
          plan.some((step) => /^SCAN (e|event|event_target)\b/.test(step)),
          plan.join("; ")
        )
      })
    )
  }

  for (const [name, filter] of Object.entries(one)) {
    if (name === "a prefix of the action" || name === "nothing" || name === "an action") continue
    it.live(`by ${name} and a prefix of the action, and never walks the prefix`, () =>
      Effect.gen(function* () {
        const plan = yield* planOf({ ...filter, action: "document.*" })
        assert.isFalse(
          plan.some((step) => step.includes("event_action")),
          plan.join("; ")
        )
        assert.isFalse(
          plan.some((step) => /^SCAN (e|event|event_target)\b/.test(step)),
          plan.join("; ")
        )
      })
    )
  }

  it.live("by three conditions, one of them a target's, one event after the other", () =>
    Effect.gen(function* () {
      const plan = yield* planOf({ action: "document.*", tenantId: "acme", targetType: "folder" })
      const inner = plan.find((step) => step.startsWith("SEARCH e "))
      assert.match(inner ?? "", /sequence=\?/, plan.join("; "))
    })
  )
})
