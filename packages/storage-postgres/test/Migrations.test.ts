import { ManagedWorkspaces, Members } from "@cairn/core/workspace"
import { DatabaseTooNew, LAST_CONVERSION, MIGRATIONS, migrate } from "@cairn/storage-postgres"
import { eventIdBytes, keyHash } from "@cairn/storage-sql"
import { naughtyStrings } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import viewerSettings from "../src/migrations/0030_viewer_settings.ts"
import {
  BEFORE_COMPACT_KEYS,
  BEFORE_CONDITIONS,
  clientOn,
  earlierMigrations,
  migrateTo,
  newDatabase,
  query,
  silentCairnOn,
  WORKSPACE
} from "./EarlierMigrations.ts"
import { drain } from "./support.ts"

/** Waits until somebody has a lock of the table `consumer_row`, or waits for one. */
const untilLocked = (url: string, how: "granted" | "NOT granted") =>
  Effect.repeat(
    Effect.delay(
      query(
        url,
        `SELECT FROM pg_locks WHERE relation = 'consumer_row'::regclass AND ${how}
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
      ),
      "20 millis"
    ),
    { while: (rows) => rows.length === 0 }
  )

describe("migrations of PostgreSQL", () => {
  // The first, the last before the search index changed, and the newest; the trial has the others.
  earlierMigrations([1, BEFORE_CONDITIONS, MIGRATIONS.length - 1])

  it.live("make idempotency keys compact, whatever is in them and in the ids of their events", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* migrateTo(url, BEFORE_COMPACT_KEYS - 1)
      const ids = [
        "0f8fad5b-d9cb-469f-a165-70867728950e",
        "0F8FAD5B-D9CB-469F-A165-70867728950E",
        "0f8fad5bd9cb469fa16570867728950e",
        "0f8fad5b-d9cb-469f-a165-70867728950e\n",
        "événement 7"
      ]
      const keys = Array.from(new Set(naughtyStrings)).flatMap((key, at) =>
        [1, 2].map((workspace) => ({ workspace, key, id: ids[(at + workspace) % ids.length] ?? "", at }))
      )
      yield* query(
        url,
        `INSERT INTO idempotency_key (workspace, key, event_id, accepted_at)
         SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[])`,
        [
          keys.map(({ workspace }) => workspace),
          keys.map(({ key }) => key),
          keys.map(({ id }) => id),
          keys.map(({ at }) => at)
        ]
      )
      yield* migrateTo(url, BEFORE_COMPACT_KEYS)
      const rows = yield* query(
        url,
        "SELECT workspace::int, hash, event_id, accepted_at::int FROM idempotency_key"
      )
      const textOf = (...bytes: ReadonlyArray<unknown>) =>
        bytes.map((each) => (each instanceof Uint8Array ? Buffer.from(each).toString("hex") : each)).join(" ")
      assert.sameMembers(
        rows.map(({ workspace, hash, event_id, accepted_at }) =>
          textOf(workspace, hash, event_id, accepted_at)
        ),
        keys.map(({ workspace, key, id, at }) => textOf(workspace, keyHash(key), eventIdBytes(id), at))
      )
    })
  )

  it.live("make members of earlier versions confirmed, and known by their addresses", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const BEFORE_PEOPLE = 22
      yield* migrateTo(url, BEFORE_PEOPLE)
      const old = { workspace_id: WORKSPACE, name: null, role: "owner", updated_at: 9 }
      const kept = (id: string, created_at: number, email: unknown) =>
        [id, created_at, JSON.stringify({ ...old, id, created_at, email })] as const
      yield* query(
        url,
        "INSERT INTO workspace (id, name, plan, overrides, ip_allowlist, created_at, updated_at) VALUES ($1, 'w', 'free', '{}', '[]', 1, 1)",
        [WORKSPACE]
      )
      for (const [id, created_at, body] of [
        kept("ada", 5, "Ada.Z@Example.com"),
        kept("kelvin", 6, "\u212Ait\u0130@Example.com"),
        kept("number", 7, 7),
        kept("zero", 7, "a\0@example.com"),
        kept("half", 7, "a\uD800@example.com"),
        ["broken", 7, "no JSON"],
        ["cut", 7, '{"email":"ada.z@example.com'],
        ["list", 7, '["ada.z@example.com"]'],
        ["other", 7, '{"email":"ada.z@example.com","role":"nobody"}']
      ] as const) {
        yield* query(url, "INSERT INTO member (id, workspace_id, created_at, body) VALUES ($1, $2, $3, $4)", [
          id,
          WORKSPACE,
          created_at,
          body
        ])
      }
      yield* Effect.gen(function* () {
        const { get, ofAddress } = yield* Members
        const ada = {
          ...old,
          id: "ada",
          email: "Ada.Z@Example.com",
          role: "owner" as const,
          created_at: 5,
          confirmed_at: 5,
          signed_in_at: 5,
          expires_at: null,
          sessions_from: null,
          managed_by: null
        }
        assert.deepStrictEqual(yield* get(WORKSPACE, "ada"), Option.some(ada))
        assert.deepStrictEqual(yield* ofAddress("ada.z@example.com"), [ada])
        const ids = Effect.fnUntraced(function* (address: string) {
          return (yield* ofAddress(address)).map(({ id }) => id)
        })
        assert.deepStrictEqual(yield* ids("\u212AIT\u0130@example.com"), ["kelvin"])
        for (const address of ["kit\u0130@example.com", "\u212Aiti\u0307@example.com", "7", ""]) {
          assert.deepStrictEqual(yield* ids(address), [])
        }
      }).pipe(Effect.provide(silentCairnOn(url)))
      const [row] = yield* query(
        url,
        'SELECT array_agg(id ORDER BY id COLLATE "C") AS ids FROM member WHERE address IS NULL'
      )
      assert.deepStrictEqual(row?.ids, ["broken", "cut", "half", "list", "number", "zero"])
    })
  )

  it.live("leave unrecorded what API keys read, until a workspace wants it", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const BEFORE_ACCESS_EVENTS = 23
      yield* migrateTo(url, BEFORE_ACCESS_EVENTS)
      yield* query(
        url,
        "INSERT INTO workspace (id, name, plan, overrides, ip_allowlist, created_at, updated_at) VALUES ($1, 'w', 'free', '{}', '[]', 1, 1)",
        [WORKSPACE]
      )
      const isRecorded = Effect.flatMap(ManagedWorkspaces, ({ get }) =>
        Effect.map(get(WORKSPACE), (found) => Option.getOrThrow(found).key_access_events)
      ).pipe(Effect.provide(silentCairnOn(url)))
      assert.isFalse(yield* isRecorded)
      yield* Effect.flatMap(ManagedWorkspaces, ({ update }) =>
        update(WORKSPACE, { key_access_events: true }, 2)
      ).pipe(Effect.provide(silentCairnOn(url)))
      assert.isTrue(yield* isRecorded)
    })
  )

  it.live("let the viewer tell events in its own way, until a workspace has sentences", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* migrateTo(url, MIGRATIONS.indexOf(viewerSettings))
      yield* query(
        url,
        "INSERT INTO workspace (id, name, plan, overrides, ip_allowlist, created_at, updated_at) VALUES ($1, 'w', 'free', '{}', '[]', 1, 1)",
        [WORKSPACE]
      )
      const viewer = Effect.flatMap(ManagedWorkspaces, ({ get }) =>
        Effect.map(get(WORKSPACE), (found) => Option.getOrThrow(found).viewer)
      ).pipe(Effect.provide(silentCairnOn(url)))
      assert.isNull(yield* viewer)
      const set = { sentences: { "document.*": { de: "{actor} hat {resource} geändert" } } }
      yield* Effect.flatMap(ManagedWorkspaces, ({ update }) => update(WORKSPACE, { viewer: set }, 2)).pipe(
        Effect.provide(silentCairnOn(url))
      )
      assert.deepStrictEqual(yield* viewer, set)
    })
  )

  it.live("happen once when several connections begin at the same time", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 3; round++) {
        const url = yield* newDatabase
        const taken = yield* Effect.all(
          Array.from({ length: 6 }, () => migrateTo(url, MIGRATIONS.length)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(taken.toSorted(), [0, 0, 0, 0, 0, MIGRATIONS.length])
      }
    })
  )

  it.live("hold no table while they wait for another", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* migrateTo(url, LAST_CONVERSION)
      const report = "BEGIN; SELECT count(*) FROM consumer_row; SELECT pg_sleep(120)"
      const reader = yield* Effect.forkChild(Effect.exit(query(url, report)))
      yield* untilLocked(url, "granted")
      const migration = yield* Effect.forkChild(migrateTo(url, MIGRATIONS.length))
      yield* untilLocked(url, "NOT granted")
      // Which is changed before it.
      yield* query(url, "SET statement_timeout = '60s'; SELECT count(*) FROM tree_tile")
      assert.isUndefined(reader.pollUnsafe(), "the report has not ended")
      yield* query(
        url,
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND query LIKE '%pg_sleep(120)' AND pid <> pg_backend_pid()`
      )
      yield* Fiber.join(reader)
      assert.strictEqual(yield* Fiber.join(migration), MIGRATIONS.length - LAST_CONVERSION)
    })
  )

  it.live("leave nothing behind when one of them fails, and can be run again", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* migrateTo(url, 1)
      const broken = [...MIGRATIONS.slice(0, 2), ["CREATE TABLE half (id bigint)", "SELECT no_such_thing()"]]
      const client = clientOn(url)
      const exit = yield* Effect.exit(migrate(broken).pipe(Effect.provide(client)))
      assert.strictEqual(exit._tag, "Failure")
      const [row] = yield* query(
        url,
        "SELECT to_regclass('half') AS half, to_regclass('tree_tile') AS tile, max(number) AS number FROM cairn_migration"
      )
      assert.deepStrictEqual(row, { half: null, tile: null, number: 1 })
      assert.strictEqual(yield* migrateTo(url, MIGRATIONS.length), MIGRATIONS.length - 1)
    })
  )

  it.live("refuse a database that a newer program wrote, and say so", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* migrateTo(url, MIGRATIONS.length)
      yield* query(url, "INSERT INTO cairn_migration (number) VALUES (99)")
      const error = yield* Effect.flip(drain.pipe(Effect.provide(silentCairnOn(url))))
      assert.instanceOf(error, DatabaseTooNew)
      assert.strictEqual(
        error.message,
        `the database is at migration 99, but this version of Cairn knows only ${MIGRATIONS.length}; use a newer one`
      )
    })
  )

  it.live("let a former program go on, as long as what it does not know only adds", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* migrateTo(url, MIGRATIONS.length)
      for (let number = LAST_CONVERSION; number < MIGRATIONS.length; number++)
        assert.strictEqual(yield* migrateTo(url, number), 0)
      const tooNew = Effect.flip(migrateTo(url, LAST_CONVERSION - 1))
      assert.deepInclude(yield* tooNew, { _tag: "DatabaseTooNew", found: MIGRATIONS.length })
      const [row] = yield* query(url, "SELECT max(number) AS number FROM cairn_migration")
      assert.deepStrictEqual(row, { number: MIGRATIONS.length })
      // Those that earlier versions applied do not say what they need.
      yield* query(url, "ALTER TABLE cairn_migration DROP COLUMN needs")
      assert.strictEqual((yield* Effect.flip(migrateTo(url, MIGRATIONS.length - 1)))._tag, "DatabaseTooNew")
    })
  )
})
