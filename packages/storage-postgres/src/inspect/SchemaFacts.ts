/** How the tables of a database are: what is there of what should be, and what this role may do with it. */
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { isGoneWhereSpread } from "../Distribution.ts"
import { MIGRATIONS, versionOf } from "../Migrations.ts"
import { areSpread } from "../Places.ts"
import {
  type ExpectedFunction,
  type ExpectedObject,
  expectedFunctions,
  expectedObjects
} from "./ExpectedSchema.ts"
import { HOME, home } from "./Home.ts"

/** Where tables of Cairn are in the database, and where this session looks for them. */
export interface SchemaPlaces {
  /** Schemas with tables of Cairn. */
  readonly with_tables: ReadonlyArray<string>
  /** The one whose tables are found without its name; null for none. */
  readonly visible: string | null
  /** The one that new tables go to; null for none. */
  readonly current: string | null
  readonly search_path: string
  readonly role_name: string
  readonly database_name: string
}

/** Looks for the tables in every schema, with the session's own `search_path`. */
export const schemaPlaces = (sql: PgClient.PgClient) =>
  Effect.flatMap(
    sql<SchemaPlaces>`
      SELECT ARRAY(SELECT relnamespace::regnamespace::text FROM pg_class
          WHERE relname = 'cairn_migration' AND relkind IN ('r', 'p') ORDER BY 1) AS with_tables,
        ${home(sql)}::regnamespace::text AS visible, quote_ident(current_schema()) AS current,
        current_setting('search_path') AS search_path, quote_ident(current_user) AS role_name,
        quote_ident(current_database()) AS database_name`,
    ([places]) => (places === undefined ? Effect.die("no row") : Effect.succeed(places))
  )

/** What is there of a schema. */
export interface FoundObject {
  readonly type: ExpectedObject["type"]
  readonly name: string
  /** Of an index, whether queries use it; of a trigger, whether it runs. */
  readonly works: boolean
  /** Of a trigger, when it runs and what it calls, and on what condition. */
  readonly made: string
}

/** The statement for what is in a schema, whose oid an expression gives. */
export const foundIn = (schema: string): string => `
  SELECT 'table' AS type, relname::text AS name, true AS works, '' AS made FROM pg_class
  WHERE relkind IN ('r', 'p') AND relnamespace = ${schema}
  UNION ALL
  SELECT 'index', c.relname::text, x.indisvalid AND x.indisready AND x.indislive, ''
  FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid WHERE c.relnamespace = ${schema}
  UNION ALL
  SELECT 'trigger', g.tgname::text, g.tgenabled IN ('O', 'A'),
    concat_ws(' ', g.tgtype, p.proname, nullif(g.tgattr::text, ''),
      substring(pg_get_triggerdef(g.oid) FROM ' WHEN \\((.*)\\) EXECUTE '))
  FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid JOIN pg_proc p ON p.oid = g.tgfoid
  WHERE NOT g.tgisinternal AND t.relnamespace = ${schema}`

/** The bits of `pg_trigger.tgtype`. */
const TRIGGER_BITS: ReadonlyArray<readonly [RegExp, number]> = [
  [/ FOR EACH ROW /, 1],
  [/ BEFORE /, 2],
  [/ INSERT /, 4],
  [/ DELETE /, 8],
  [/ UPDATE /, 16],
  [/ TRUNCATE /, 32]
]

/** When a trigger runs and what it calls, as {@link found} has it. */
const triggerMade = (statement: string): string => {
  const sql = oneLine(statement)
  const type = TRIGGER_BITS.reduce((bits, [pattern, bit]) => (pattern.test(sql) ? bits + bit : bits), 0)
  const called = / EXECUTE FUNCTION (\w+)/.exec(sql)?.[1] ?? ""
  const condition = sql.split(" WHEN ")[1]?.split(" EXECUTE ")[0]
  return condition === undefined ? `${type} ${called}` : `${type} ${called} ${condition}`
}

/**
 * PostgreSQL returns a condition with more parentheses than it was made with, and its keywords in small
 * letters.
 */
const plain = (made: string): string => made.replaceAll(/[()]/g, "").toLowerCase()

/** A statement without its line breaks. */
export const oneLine = (sql: string): string => sql.replaceAll(/\s+/g, " ").trim()

/** How far the database is, and whether a newer program may have altered what this one's migrations made. */
export const progress = (sql: PgClient.PgClient) =>
  Effect.map(versionOf(sql), ({ found: at }) => ({ at, isNewer: at > MIGRATIONS.length }))

/**
 * What is missing of what the migrations made that the database has, which indexes and triggers are there and
 * do nothing, and which triggers are others than they should be. A newer program's may well be.
 */
export const standingOf = (
  expected: ReadonlyArray<ExpectedObject>,
  there: ReadonlyArray<FoundObject>,
  isNewer: boolean
) => {
  const known = new Map(there.map((object) => [`${object.type} ${object.name}`, object]))
  const standing = ({ type, name }: ExpectedObject) => known.get(`${type} ${name}`)
  const names = new Set(expected.map(({ type, name }) => `${type} ${name}`))
  return {
    missing: expected.filter((object) => standing(object) === undefined),
    idle: expected.filter((object) => standing(object)?.works === false),
    altered: expected.filter((object) => {
      const there = standing(object)
      if (object.type !== "trigger" || there === undefined || isNewer) return false
      return plain(there.made) !== plain(triggerMade(object.sql))
    }),
    /** Indexes that are Cairn's by their table and not by name, such as those of primary keys. */
    unusable: there.filter(
      ({ type, name, works }) => type === "index" && !works && !names.has(`index ${name}`)
    )
  }
}

/** How the tables, indexes and triggers are, see `standingOf`. */
export interface SchemaStanding extends ReturnType<typeof standingOf> {}

/** The same of the database itself. */
export const schemaStanding = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const { at, isNewer } = yield* progress(sql)
  const there = yield* sql.unsafe<FoundObject>(foundIn(HOME))
  const all = expectedObjects(at)
  const expected = (yield* areSpread(sql)) ? all.filter((object) => !isGoneWhereSpread(object)) : all
  return standingOf(expected, there, isNewer)
})

/**
 * The functions that are missing, or whose text is not what the migrations made that the database has. What a
 * newer program has made of their text is not known.
 */
export const alteredFunctions = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const { at, isNewer } = yield* progress(sql)
  const rows = yield* sql<{ readonly name: string; readonly body: string }>`
    SELECT proname::text AS name, prosrc AS body FROM pg_proc WHERE pronamespace = ${home(sql)}`
  const bodies = new Map(rows.map(({ name, body }) => [name, oneLine(body)]))
  return expectedFunctions(at).filter(({ name, body }: ExpectedFunction) =>
    isNewer ? !bodies.has(name) : bodies.get(name) !== oneLine(body)
  )
})

/** Those that have a write-ahead log. */
export const loggedTables = (): ReadonlyArray<string> =>
  expectedObjects().flatMap(({ type, name, sql: made }) =>
    type === "table" && !made.startsWith("CREATE UNLOGGED") ? [name] : []
  )

/** Tables without a write-ahead log that should have one: a crash empties them. */
export const unloggedTables = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const logged = loggedTables()
  const rows = yield* sql<{ readonly name: string }>`
    SELECT relname::text AS name FROM pg_class
    WHERE relpersistence = 'u' AND relnamespace = ${home(sql)} AND relname = ANY(${logged}::text[])
    ORDER BY 1`
  return rows.map(({ name }) => name)
})

/** Rights that the role lacks, on a table or on the schema. */
export interface LackingRight {
  readonly right: string
  readonly on: string
}

/** What the role may not do, though the service does it. */
export const lackingRights = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const tables = expectedObjects().flatMap(({ type, name }) => (type === "table" ? [name] : []))
  return yield* sql<LackingRight>`
    SELECT r AS right, 'TABLE ' || name AS on
    FROM unnest(${tables}::text[]) name, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) r
    WHERE to_regclass(quote_ident(name)) IS NOT NULL AND NOT has_table_privilege(to_regclass(quote_ident(name)), r)
    UNION ALL
    SELECT r, 'SCHEMA ' || current_schema() FROM unnest(ARRAY['USAGE', 'CREATE']) r
    WHERE NOT has_schema_privilege(current_schema(), r)`
})

/** A table that is split by hash, and a part of it that is missing. */
export interface MissingPartition {
  readonly table: string
  readonly modulus: number
  readonly remainder: number
}

/** Parts that are missing of tables that somebody has split by hash: rows for them are refused. */
export const missingPartitions = (sql: PgClient.PgClient) => sql<MissingPartition>`
  WITH part AS (
    SELECT i.inhparent AS parent, (m[1])::int AS modulus, (m[2])::int AS remainder
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid,
      regexp_match(pg_get_expr(c.relpartbound, c.oid), 'modulus (\\d+), remainder (\\d+)') m
    WHERE m IS NOT NULL
  ), split AS (
    SELECT p.partrelid AS parent, coalesce(max(part.modulus), 1) AS modulus
    FROM pg_partitioned_table p JOIN pg_class t ON t.oid = p.partrelid LEFT JOIN part ON part.parent = p.partrelid
    WHERE p.partstrat = 'h' AND t.relnamespace = ${home(sql)} GROUP BY 1
  )
  SELECT split.parent::regclass::text AS table, split.modulus, r AS remainder
  FROM split, generate_series(0, split.modulus - 1) r
  WHERE NOT EXISTS (
    SELECT FROM part WHERE part.parent = split.parent AND r % part.modulus = part.remainder)
  ORDER BY 1, 3`
