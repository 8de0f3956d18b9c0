import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { EventFilter } from "@cairn/core/event"
import {
  countFiltered,
  filteredEvents,
  type Leader,
  leaderOf,
  leadersOf,
  rememberingLeaders
} from "@cairn/storage-sql"
import { MIGRATIONS, SqliteClient } from "@cairn/storage-sqlite"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { afterAll } from "vitest"

const folder = quickFolder("cairn-plans-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const filename = join(folder, "plans.db")
const range = { from: 1, to: 1_000_000 }

const db = new DatabaseSync(filename)
for (const statements of MIGRATIONS.log) db.exec(statements)
// A tenant with many events, of which an actor did three and a target is in two.
db.exec(`
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
  INSERT INTO event (workspace, sequence, id, created_at, content, action, actor_id, tenant_id)
  SELECT 1, i, 'e' || i, i, '{}', 'document.read', CASE WHEN i % 4500 = 7 THEN 'rare' WHEN i % 4 = 0 THEN 'some' ELSE 'most' END, 'acme' FROM n;
  INSERT INTO event_target (workspace, sequence, ordinal, type, id)
  SELECT 1, sequence, 0, iif(sequence IN (5, 6), 'vault', 'folder'), '7' FROM event`)
db.close()

const withSqlite = <A, E>(body: (sql: SqliteClient.SqliteClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(SqliteClient.SqliteClient, body).pipe(Effect.provide(SqliteClient.layer({ filename })))

/** How SQLite would carry out a statement, without any statistics. */
const plan = (sql: SqliteClient.SqliteClient, statement: Statement.Fragment) =>
  Effect.map(sql`EXPLAIN QUERY PLAN ${statement}`, (rows) => rows.map(({ detail }) => String(detail)))

const pagePlan = (filter: EventFilter, leader?: Leader) =>
  withSqlite((sql) => {
    const { from, sequence } = filteredEvents(sql, 1, filter, range, leader)
    return plan(sql, sql`SELECT e.id, e.content ${from} ORDER BY ${sequence} DESC LIMIT 26`)
  })

const countPlan = (filter: EventFilter) =>
  withSqlite((sql) => plan(sql, countFiltered(sql, 1, filter, range)))

/** A filter by one condition, and the index that has what it selects. */
const one: ReadonlyArray<readonly [name: string, filter: EventFilter, index: string]> = [
  ["an action", { action: "document.read" }, "event_action"],
  ["an actor", { actorId: "ada" }, "event_actor"],
  ["a resource type", { resource: "document" }, "event_resource_type"],
  ["a resource", { resourceId: "42" }, "event_resource_id"],
  ["a tenant", { tenantId: "acme" }, "event_tenant"],
  ["a session", { sessionId: "s" }, "event_session"],
  ["a target type", { targetType: "folder" }, "event_target_type"],
  ["a target", { targetId: "7" }, "event_target_id"],
  ["a target of a type", { targetType: "folder", targetId: "7" }, "event_target_id"],
  ["nothing", {}, "sqlite_autoindex_event_1"]
]

/** The table that is read first, by an index, in its order. */
const assertLedBy = (steps: ReadonlyArray<string>, index: string) => {
  const said = steps.join("; ")
  const [first = ""] = steps.filter((step) => !step.startsWith("CO-ROUTINE"))
  assert.match(first, new RegExp(`^SEARCH [eo] USING (COVERING )?INDEX ${index} `), said)
  assert.notInclude(said, "TEMP B-TREE")
  assert.isFalse(
    steps.some((step) => /^SCAN [eo]/.test(step)),
    said
  )
}

describe("SQLite looks for the newest events", () => {
  for (const [name, filter, index] of one) {
    it.live(`of ${name} along its index, without sorting them`, () =>
      Effect.map(pagePlan(filter), (steps) => assertLedBy(steps, index))
    )

    it.live(`of ${name} with a prefix of the action the same way, and never walks the prefix`, () =>
      Effect.map(
        pagePlan(filter.action === undefined ? { ...filter, action: "document.*" } : filter),
        (steps) => assertLedBy(steps, index)
      )
    )
  }

  const all: EventFilter = {
    action: "document.read",
    actorId: "ada",
    resource: "document",
    resourceId: "42",
    tenantId: "acme",
    sessionId: "s",
    targetType: "folder"
  }
  for (const leader of leadersOf(all)) {
    it.live(`of every condition at once along the index of the one that leads: ${leader}`, () =>
      Effect.map(pagePlan(all, leader), (steps) => {
        const index =
          leader === "target" ? "event_target_type" : (one.find(([, filter]) => leader in filter)?.[2] ?? "")
        assertLedBy(steps, index)
        // The others are looked at in the event itself, and in the targets of that event.
        assert.isTrue(
          steps.slice(1).every((step) => /sequence=\?|^SEARCH o|^SCAN t$/.test(step)),
          steps.join("; ")
        )
      })
    )
  }
})

describe("SQLite counts the events", () => {
  for (const [name, filter, index] of one.slice(0, -1)) {
    it.live(`of ${name} along its index`, () =>
      Effect.map(countPlan(filter), (steps) => assert.include(steps.join("; "), `INDEX ${index} `))
    )
  }

  it.live("of a prefix of the action as a range of its index", () =>
    Effect.map(countPlan({ action: "document.*" }), (steps) =>
      assert.deepStrictEqual(steps, [
        "SEARCH event USING COVERING INDEX event_action (workspace=? AND action>? AND action<?)"
      ])
    )
  )
})

describe("the condition that leads", () => {
  const leader = (filter: EventFilter) => withSqlite((sql) => leaderOf(sql, 1, filter, range))

  it.live("is the one that selects the fewest events", () =>
    Effect.gen(function* () {
      const rareActor = { action: "document.read", actorId: "rare", tenantId: "acme" }
      assert.deepStrictEqual(yield* leader(rareActor), { leader: "actorId", few: true })
      const rareTarget = { ...rareActor, targetType: "vault" }
      assert.deepStrictEqual(yield* leader(rareTarget), { leader: "target", few: true })
      const someActor = { ...rareActor, actorId: "some" }
      assert.deepStrictEqual(yield* leader(someActor), { leader: "actorId", few: false })
    })
  )

  it.live("is any where all select many, and none where there is none", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* leader({ action: "document.read", tenantId: "acme" }), {
        leader: "action",
        few: false
      })
      assert.deepStrictEqual(yield* leader({ search: "term" }), { leader: null, few: false })
    })
  )

  it.effect("is chosen once a minute for parts of the log that are about as long", () =>
    withSqlite((sql) =>
      Effect.gen(function* () {
        const leaderFor = rememberingLeaders(sql)
        const filter = { actorId: "rare", targetType: "vault" }
        // Of the first eight events the actor did one and the target is in two; of the next none is the
        // target's.
        assert.strictEqual(yield* leaderFor(1, filter, { from: 1, to: 8 }), "actorId")
        yield* TestClock.adjust("59 seconds")
        const next = { from: 9, to: 16 }
        assert.strictEqual(yield* leaderFor(1, filter, next), "actorId")
        const visible = { ...filter, from: 9 }
        assert.strictEqual(
          yield* leaderFor(1, visible, { from: 4_507, to: 4_514 }),
          "actorId",
          "whatever the moments"
        )
        assert.strictEqual(yield* leaderFor(1, filter, range), "target", "all of the log")
        assert.strictEqual(yield* leaderFor(1, { ...filter, tenantId: "acme" }, next), "actorId")
        yield* TestClock.adjust("1 second")
        const second = { from: 4_507, to: 4_514 }
        assert.strictEqual(yield* leaderFor(1, filter, second), "target")
      })
    )
  )
})
