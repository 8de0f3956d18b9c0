import { join } from "node:path"
import * as Postgres from "@cairn/storage-postgres"
import { copiedTables, ShapesDiffer, type TableShape } from "@cairn/storage-sql"
import * as Sqlite from "@cairn/storage-sqlite"
import type { TestDatabases } from "@cairn/testing/EmbeddedPostgres"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryFolder } from "./support/TemporaryFolder.ts"

const folder = temporaryFolder()

const shape = (name: string, more: Partial<TableShape> = {}): TableShape => ({
  name,
  columns: new Map([
    ["id", "text"],
    ["at", "integer"]
  ]),
  key: ["id"],
  references: [],
  numbered: null,
  ...more
})

describe("what cairn copy carries", () => {
  let postgres: TestDatabases
  beforeAll(async () => {
    postgres = await sharedPostgres()
  })

  it.live("is every table of either database that is not known to stay, whatever migrations add", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => postgres.newDatabase())
      const { shapes: theirs } = yield* Postgres.copyTarget(url, "PostgreSQL", false)
      const { shapes: ours } = yield* Sqlite.copyTarget(join(folder, "cairn.db"), false)
      const there = (yield* copiedTables(ours, theirs)).map(({ name }) => name)
      const back = (yield* copiedTables(theirs, ours)).map(({ name }) => name)
      assert.sameMembers(there, back)
      const stay = [
        "cairn_migration",
        "consumers_file",
        "file_seen",
        "log_loss",
        "log_mark",
        "log_seen",
        "repair",
        "rate_bucket",
        "removal_permit",
        "search",
        "search_position",
        "state"
      ]
      const all = new Set([...ours, ...theirs].map(({ name }) => name))
      assert.sameMembers([...there, ...stay], Array.from(all))
      for (const name of [
        "workspace",
        "api_key",
        "event",
        "event_target",
        "head",
        "inbox",
        "idempotency_key"
      ]) {
        assert.include(there, name)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("comes in an order in which every row finds those that it refers to", () =>
    Effect.gen(function* () {
      const shapes = [shape("a", { references: ["b"] }), shape("b", { references: ["c", "b"] }), shape("c")]
      const tables = yield* copiedTables(shapes, shapes)
      assert.deepStrictEqual(
        tables.map(({ name }) => name),
        ["c", "b", "a"]
      )
    })
  )

  for (const [what, other] of [
    ["a table", []],
    ["a column", [shape("a", { columns: new Map([["id", "text"]]) })]],
    ["the type of a column", [shape("a", { columns: new Map([...shape("a").columns, ["at", "text"]]) })]],
    ["a key", [shape("a", { key: [] })]]
  ] as const) {
    it.effect(`is refused when ${what} is not on both sides`, () =>
      Effect.gen(function* () {
        const one = what === "a key" ? shape("a", { key: [] }) : shape("a")
        for (const [source, target] of [
          [[one], other],
          [other, [one]]
        ] as const) {
          const error = yield* Effect.flip(copiedTables(source, target))
          assert.instanceOf(error, ShapesDiffer)
          assert.strictEqual(error.table, "a")
        }
      })
    )
  }
})
