import {
  alteredFunctions,
  expectedFunctions,
  expectedObjects,
  MIGRATIONS,
  migrate,
  PostgresClient,
  schemaStanding
} from "@cairn/storage-postgres"
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { sharedServer } from "./support.ts"

const server = sharedServer()

/** What a database has, except the indexes of its constraints, which have no statement of their own. */
const FOUND = `
  SELECT 'table ' || relname AS object FROM pg_class
  WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND relname <> 'cairn_migration'
  UNION ALL
  SELECT 'index ' || c.relname FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
  WHERE c.relnamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = c.oid AND contype IN ('p', 'u'))
    AND c.relname <> 'cairn_migration_pkey'
  UNION ALL
  SELECT 'trigger ' || tgname FROM pg_trigger WHERE NOT tgisinternal`

it.effect("what the migrations should leave behind is what they do", () =>
  Effect.gen(function* () {
    const url = yield* Effect.promise(() => server().newDatabase())
    yield* Effect.provide(
      migrate(MIGRATIONS),
      PostgresClient.layer({ url: Redacted.make(url) }).pipe(Layer.provide(Logger.layer([])))
    )
    const found = yield* Effect.promise(() => server().query(url, FOUND))
    const expected = expectedObjects().map(({ type, name }) => `${type} ${name}`)
    assert.deepStrictEqual(expected.toSorted(), found.map(({ object }) => String(object)).toSorted())
    assert.isAbove(expected.length, 60)
    const functions = yield* Effect.promise(() =>
      server().query(
        url,
        "SELECT proname AS name, prosrc AS body FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1"
      )
    )
    assert.deepStrictEqual(
      expectedFunctions()
        .map(({ name, body }) => ({ name, body }))
        .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
      functions
    )
    assert.isAtLeast(functions.length, 5)
  })
)

const WHOLE = { missing: [], idle: [], altered: [], unusable: [] }

/** A program newer than this one, which makes a function and a trigger of it anew. */
const NEWER = [
  ...MIGRATIONS,
  [
    `CREATE OR REPLACE FUNCTION cairn_not_closed(workspaces bigint[]) RETURNS boolean LANGUAGE sql AS $$
      SELECT true $$`,
    "DROP TRIGGER alert_is_numbered ON alert",
    `CREATE TRIGGER alert_is_numbered BEFORE INSERT OR UPDATE ON alert
      FOR EACH ROW EXECUTE FUNCTION cairn_number_row()`
  ]
]

for (const [name, migrations] of [
  ["of a former program, which waits for its migrations", MIGRATIONS.slice(0, -2)],
  ["of a newer program", NEWER]
] as const) {
  it.effect(`nothing is missing or altered in a database ${name}`, () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => server().newDatabase())
      const look = Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* migrate(migrations)
        assert.deepStrictEqual(yield* schemaStanding(sql), WHOLE)
        assert.deepStrictEqual(yield* alteredFunctions(sql), [])
      })
      yield* Effect.provide(
        look,
        PostgresClient.layer({ url: Redacted.make(url) }).pipe(Layer.provide(Logger.layer([])))
      )
    })
  )
}
