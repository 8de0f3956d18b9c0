import { EventLog } from "@cairn/core/log"
import { ManagedWorkspaces, Members } from "@cairn/core/workspace"
import { DatabaseTooNew, LAST_CONVERSION, MIGRATIONS, migrate, PostgresClient } from "@cairn/storage-postgres"
import { eventIdBytes, keyHash } from "@cairn/storage-sql"
import { naughtyStrings } from "@cairn/testing"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Option, Redacted } from "effect"
import viewerSettings from "../src/migrations/0030_viewer_settings.ts"
import { accept, cairnOn, drain, makeWorkspace, sharedServer, verifyChain } from "./support.ts"

const WORKSPACE = "wsp_test"
const EVENTS = 40

const server = sharedServer()
const query = (url: string, statement: string, values: ReadonlyArray<unknown> = []) =>
  Effect.promise(() => server().query(url, statement, values))
const newDatabase = Effect.promise(() => server().newDatabase())

/** Without its log: each would warn that the shared server does not sync. */
const silentCairnOn = (url: string) => cairnOn(url).pipe(Layer.provide(Logger.layer([])))

const clientOn = (url: string) =>
  PostgresClient.layer({ url: Redacted.make(url) }).pipe(Layer.provide(Logger.layer([])))

const migrateTo = (url: string, number: number) =>
  migrate(MIGRATIONS.slice(0, number)).pipe(Effect.provide(clientOn(url)))

/** The log's tables, which there are from the first migration on, in an order in which they can be filled. */
const TABLES = ["workspace", "api_key", "head", "inbox", "idempotency_key", "event"]

/** The content of an event `j`, which may have what `jsonb` cannot. */
const CONTENT = "replace(j->>'content', '\\u0000', '')::jsonb"

/** An event with the columns that events were filtered by, which later ones do not have. */
const WITH_FILTERED = `(SELECT j || jsonb_build_object('action', c->'action', 'actor_id', c->'actor'->'id',
  'resource_type', c->'resource'->'type', 'resource_id', c->'resource'->'id', 'tenant_id', c->'tenant_id',
  'session_id', c->'session_id') FROM (SELECT ${CONTENT}) AS of (c))`
const FORMER_TARGETS = `
  INSERT INTO event_target (workspace, sequence, ordinal, type, id)
  SELECT workspace, sequence, n - 1, t->>'type', t->>'id'
  FROM (SELECT workspace, sequence, ${CONTENT.replace("j->>'content'", "content")} AS c FROM event) e,
    jsonb_array_elements(c->'targets') WITH ORDINALITY AS of (t, n)`

/**
 * The last migrations before the index had the values that events are filtered by, and before it had all of
 * them; it says it has every event.
 */
const BEFORE_VALUES = 26
const BEFORE_CONDITIONS = 28
const FORMER_FRAMES = new Map([
  [BEFORE_VALUES, "(1, 0, 1, '\\x00', '\\x00')"],
  [BEFORE_CONDITIONS, "(1, 0, 1, 1, '\\x00', '\\x00', '\\x00')"]
])
const FORMER_POSITION = `INSERT INTO search_position VALUES (1, ${EVENTS}, 1)`

/** Before idempotency keys were compact, with the keys as they were. */
const BEFORE_COMPACT_KEYS = 28
const KEYS = `
  SELECT k.workspace, substring(e.content FROM '"idempotency_key":"([^"]*)"') AS key, e.id, k.accepted_at
  FROM idempotency_key k JOIN event e ON e.id = encode(k.event_id, 'hex')::uuid::text`
const FORMER_KEYS = `
  INSERT INTO idempotency_key (workspace, key, event_id, accepted_at)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[])`

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

/** How many events have an actor, a target and a prefix of the action. */
const counts = Effect.flatMap(EventLog, (log) =>
  Effect.forEach(
    [
      { actorId: "ada-1" },
      { targetType: "folder", targetId: "f-7" },
      { action: "document.*", targetType: "folder" },
      { action: "*.created", actorId: ["ada-0", "ada-1", "ada-2"] }
    ],
    (filter) => log.count(WORKSPACE, filter, { from: 1, to: Number.MAX_SAFE_INTEGER })
  )
)

/** A database with a chain, a key of each kind and an event that waits. */
const makeOriginal = Effect.gen(function* () {
  const url = yield* newDatabase
  yield* Effect.gen(function* () {
    yield* makeWorkspace(WORKSPACE)
    const bodies = Array.from({ length: EVENTS }, (_, index) => ({
      actor_id: `ada-${index % 3}`,
      action: "document.created",
      idempotency_key: `key-${index}`,
      targets: [{ type: "folder", id: `f-${index}` }],
      metadata: { "a\u0000b": "%_\\\"'", index }
    }))
    yield* accept(WORKSPACE, bodies)
    yield* drain
    yield* accept(WORKSPACE, [{ actor_id: "ada", action: "document.waits" }])
  }).pipe(Effect.provide(silentCairnOn(url)))
  return url
})

/** Every row of a table, as JSON text; none where it is not there. */
const rowsOf = Effect.fnUntraced(function* (url: string, table: string) {
  const rows = yield* query(url, `SELECT to_jsonb(t)::text AS row FROM ${table} t`)
  return rows.map(({ row }) => String(row)).sort()
})

/**
 * The migrations that a database is at before it is brought up to date: in the short form every third and the
 * newest ones.
 */
const starts = Array.from({ length: MIGRATIONS.length - 1 }, (_, index) => index + 1).filter(
  (number) => isEndurance() || number % 3 === 1 || number >= BEFORE_VALUES
)

describe("migrations of PostgreSQL", () => {
  it.live(
    "bring a database at any earlier migration up to date, with every hash as it was",
    () =>
      Effect.gen(function* () {
        const original = yield* makeOriginal
        const keys = yield* query(original, KEYS)
        assert.strictEqual(keys.length, EVENTS)
        const columns = ["workspace", "key", "id", "accepted_at"].map((name) => keys.map((row) => row[name]))
        const originals = new Map<string, ReadonlyArray<string>>()
        for (const table of TABLES) originals.set(table, yield* rowsOf(original, table))
        for (const number of starts) {
          const url = yield* newDatabase
          assert.strictEqual(yield* migrateTo(url, number), number)
          for (const table of TABLES) {
            if (table === "idempotency_key" && number < BEFORE_COMPACT_KEYS) {
              yield* query(url, FORMER_KEYS, columns)
              continue
            }
            yield* query(
              url,
              `INSERT INTO ${table} OVERRIDING SYSTEM VALUE
               SELECT r.* FROM unnest($1::jsonb[]) AS j,
                 jsonb_populate_record(NULL::${table}, ${table === "event" ? WITH_FILTERED : "j"}) AS r`,
              [originals.get(table)]
            )
          }
          if (number <= BEFORE_VALUES) yield* query(url, FORMER_TARGETS)
          const former = FORMER_FRAMES.get(number)
          if (former !== undefined) {
            yield* query(url, `INSERT INTO search_frame VALUES ${former}`)
            yield* query(url, FORMER_POSITION)
          }
          yield* Effect.gen(function* () {
            assert.deepInclude(yield* verifyChain(WORKSPACE), { valid: true, events_checked: EVENTS })
            for (const table of ["event", "idempotency_key"])
              assert.deepStrictEqual(yield* rowsOf(url, table), originals.get(table))
            assert.deepStrictEqual(yield* counts, [13, 1, EVENTS, EVENTS])
            yield* drain
            assert.deepStrictEqual(yield* counts, [13, 1, EVENTS, EVENTS])
            assert.deepInclude(yield* verifyChain(WORKSPACE), { valid: true, events_checked: EVENTS + 1 })
          }).pipe(Effect.provide(silentCairnOn(url)))
          const [row] = yield* query(
            url,
            "SELECT array_agg(number ORDER BY number) AS done FROM cairn_migration"
          )
          assert.deepStrictEqual(
            row?.done,
            MIGRATIONS.map((_, index) => index + 1)
          )
        }
      }),
    // A database for each migration there is: their number grows, and with it how long a busy machine takes.
    { timeout: 600_000 }
  )

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
