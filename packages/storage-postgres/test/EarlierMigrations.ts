/** Databases at earlier migrations, with a log that was written there, and what becomes of them. */
import { EventLog } from "@cairn/core/log"
import { MIGRATIONS, migrate, PostgresClient } from "@cairn/storage-postgres"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { accept, cairnOn, drain, makeWorkspace, verifyChain } from "./support.ts"

/** The only workspace. */
export const WORKSPACE = "wsp_test"
const EVENTS = 40

/** Runs a statement in a database. */
export const query = (url: string, statement: string, values: ReadonlyArray<unknown> = []) =>
  Effect.promise(async () => (await sharedPostgres()).query(url, statement, values))

/** A new database without tables. */
export const newDatabase = Effect.promise(async () => (await sharedPostgres()).newDatabase())

/** Without its log: each would warn that the shared server does not sync. */
export const silentCairnOn = (url: string) => cairnOn(url).pipe(Layer.provide(Logger.layer([])))

/** The client of a database, without its log. */
export const clientOn = (url: string) =>
  PostgresClient.layer({ url: Redacted.make(url) }).pipe(Layer.provide(Logger.layer([])))

/** Brings a database to the migration of this number. */
export const migrateTo = (url: string, number: number) =>
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
export const BEFORE_VALUES = 26
export const BEFORE_CONDITIONS = 28
const FORMER_FRAMES = new Map([
  [BEFORE_VALUES, "(1, 0, 1, '\\x00', '\\x00')"],
  [BEFORE_CONDITIONS, "(1, 0, 1, 1, '\\x00', '\\x00', '\\x00')"]
])
const FORMER_POSITION = `INSERT INTO search_position VALUES (1, ${EVENTS}, 1)`

/** Before idempotency keys were compact, with the keys as they were. */
export const BEFORE_COMPACT_KEYS = 28
const KEYS = `
  SELECT k.workspace, substring(e.content FROM '"idempotency_key":"([^"]*)"') AS key, e.id, k.accepted_at
  FROM idempotency_key k JOIN event e ON e.id = encode(k.event_id, 'hex')::uuid::text`
const FORMER_KEYS = `
  INSERT INTO idempotency_key (workspace, key, event_id, accepted_at)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[])`

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

/** Registers the test of databases that are at these migrations before they are brought up to date. */
export const earlierMigrations = (starts: ReadonlyArray<number>): void => {
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
}
