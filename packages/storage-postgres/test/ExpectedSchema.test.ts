import {
  expectedFunctions,
  expectedObjects,
  MIGRATIONS,
  migrate,
  PostgresClient
} from "@cairn/storage-postgres"
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
