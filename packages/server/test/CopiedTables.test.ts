import { join } from "node:path"
import { People, Sessions, SignInLinks } from "@cairn/core/people"
import type { StoragePorts } from "@cairn/core/storage-ports"
import { ManagedWorkspaces, Members } from "@cairn/core/workspace"
import * as Postgres from "@cairn/storage-postgres"
import { copiedTables, copyTables, ShapesDiffer, type TableShape } from "@cairn/storage-sql"
import * as Sqlite from "@cairn/storage-sqlite"
import { testMember, testWorkspace } from "@cairn/testing"
import type { TestDatabases } from "@cairn/testing/EmbeddedPostgres"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Option, Redacted } from "effect"
import { temporaryFolder } from "./support/TemporaryFolder.ts"

const folder = temporaryFolder()

const ADA = { id: "per_ada", address: "Ada@example.com", created_at: 1 }
const ACCOUNT = { issuer: "https://id.example.com", subject: "ada" }
const MEMBER = testMember({ id: "mem_ada", workspace_id: "wsp_1", email: ADA.address })

/** Ada, who has signed in, with a link that waits. */
const signIn = Effect.gen(function* () {
  yield* Effect.flatMap(ManagedWorkspaces, ({ create }) => create(testWorkspace({ id: "wsp_1" })))
  yield* Effect.flatMap(Members, ({ create }) => create(MEMBER))
  const people = yield* People
  yield* people.ensure(ADA)
  yield* people.bind(ADA.id, ACCOUNT, 1)
  const device = { client_address: null, user_agent: null }
  const times = { created_at: 1, expires_at: 1e16 }
  const { open } = yield* Sessions
  yield* open({
    ...{ id: "ses_1", person_id: ADA.id, secret_hash: "of a session", method: "mail", ...device, ...times },
    ...{ last_used_at: null, ended_at: null }
  })
  const { create } = yield* SignInLinks
  const link = { secret_hash: "of a link", kind: "mail", address: ADA.address, ...times } as const
  yield* create(
    { ...link, workspace_id: null, return_to: null, spent_at: null },
    { most: 1, mostOfWorkspace: 1, since: 0 }
  )
})

const expectCopied = Effect.gen(function* () {
  const people = yield* People
  assert.deepStrictEqual(yield* people.ofAccount(ACCOUNT), Option.some(ADA))
  const { ofAddress } = yield* Members
  assert.deepStrictEqual(yield* ofAddress("ada@example.com"), [MEMBER])
  assert.isTrue(Option.isNone(yield* Effect.flatMap(Sessions, ({ find }) => find("of a session"))))
  assert.isTrue(Option.isNone(yield* Effect.flatMap(SignInLinks, ({ find }) => find("of a link"))))
})

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
        "search_frame",
        "search_order",
        "search_part",
        "search_posting",
        "search_position",
        "session",
        "session_entry",
        "sign_in_link",
        "state"
      ]
      const all = new Set([...ours, ...theirs].map(({ name }) => name))
      assert.sameMembers([...there, ...stay], Array.from(all))
      for (const name of [
        "workspace",
        "api_key",
        "event",
        "head",
        "inbox",
        "idempotency_key",
        "member",
        "person",
        "person_account"
      ]) {
        assert.include(there, name)
      }
    }).pipe(Effect.scoped)
  )

  for (const direction of ["from SQLite to PostgreSQL", "from PostgreSQL to SQLite"] as const) {
    it.live(`is people and their accounts, and nothing that signs them in, ${direction}`, () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() => postgres.newDatabase())
        const filename = join(folder, direction, "cairn.db")
        const onFile: Layer.Layer<StoragePorts, unknown> = Sqlite.SqliteStorage.layer({ filename })
        const onServer: Layer.Layer<StoragePorts, unknown> = Postgres.PostgresStorage.layer({
          url: Redacted.make(url)
        }).pipe(Layer.provide(Logger.layer([])))
        const toServer = direction === "from SQLite to PostgreSQL"
        yield* Effect.scoped(Effect.provide(signIn, toServer ? onFile : onServer))
        yield* Effect.gen(function* () {
          const source = toServer
            ? yield* Sqlite.copySource(filename)
            : yield* Postgres.copySource(url, "PostgreSQL")
          const target = toServer
            ? yield* Postgres.copyTarget(url, "PostgreSQL", false)
            : yield* Sqlite.copyTarget(filename, false)
          const { tables } = yield* copyTables(source, target, () => undefined)
          assert.deepInclude(tables, { person: 1, person_account: 1, member: 1 })
        }).pipe(Effect.scoped)
        yield* Effect.scoped(Effect.provide(expectCopied, toServer ? onServer : onFile))
      })
    )
  }

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
