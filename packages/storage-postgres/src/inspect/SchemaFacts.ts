/** How the tables of a database are: what is there of what should be, and what this role may do with it. */
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { type ExpectedObject, expectedObjects } from "./ExpectedSchema.ts"

interface FoundObject {
  readonly type: ExpectedObject["type"]
  readonly name: string
  /** Of an index, whether queries use it; of a trigger, whether it runs. */
  readonly works: boolean
}

const found = (sql: PgClient.PgClient) => sql<FoundObject>`
  SELECT 'table' AS type, relname::text AS name, true AS works FROM pg_class
  WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
  UNION ALL
  SELECT 'index', c.relname::text, x.indisvalid AND x.indisready AND x.indislive
  FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
  WHERE c.relnamespace = current_schema()::regnamespace
  UNION ALL
  SELECT 'trigger', g.tgname::text, g.tgenabled IN ('O', 'A')
  FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid
  WHERE NOT g.tgisinternal AND t.relnamespace = current_schema()::regnamespace`

/** What is missing of what the migrations made, and which indexes and triggers are there and do nothing. */
export const schemaStanding = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const there = yield* found(sql)
  const works = new Map(there.map((object) => [`${object.type} ${object.name}`, object.works]))
  const expected = expectedObjects()
  const standing = ({ type, name }: ExpectedObject) => works.get(`${type} ${name}`)
  const known = new Set(expected.map(({ type, name }) => `${type} ${name}`))
  return {
    missing: expected.filter((object) => standing(object) === undefined),
    idle: expected.filter((object) => standing(object) === false),
    /** Indexes that are Cairn's by their table and not by name, such as those of primary keys. */
    unusable: there.filter(
      ({ type, name, works: does }) => type === "index" && !does && !known.has(`index ${name}`)
    )
  }
})

/** Tables without a write-ahead log that should have one: a crash empties them. */
export const unloggedTables = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const logged = expectedObjects().flatMap(({ type, name, sql: made }) =>
    type === "table" && !made.startsWith("CREATE UNLOGGED") ? [name] : []
  )
  const rows = yield* sql<{ readonly name: string }>`
    SELECT relname::text AS name FROM pg_class
    WHERE relpersistence = 'u' AND relnamespace = current_schema()::regnamespace AND relname = ANY(${logged}::text[])
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
    WHERE p.partstrat = 'h' AND t.relnamespace = current_schema()::regnamespace GROUP BY 1
  )
  SELECT split.parent::regclass::text AS table, split.modulus, r AS remainder
  FROM split, generate_series(0, split.modulus - 1) r
  WHERE NOT EXISTS (
    SELECT FROM part WHERE part.parent = split.parent AND r % part.modulus = part.remainder)
  ORDER BY 1, 3`
