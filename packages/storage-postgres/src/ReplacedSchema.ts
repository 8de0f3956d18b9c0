/** What is kept of a database that a copy replaces. */
import { SIGNED_CONSUMER, SIGNED_KEY } from "@cairn/core/checkpoint"
import { quoted } from "@cairn/storage-sql"
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/**
 * Moves what a copy would replace to the schema `aside`: the tables and routines that the schema `copy` has
 * too, with their partitions. Anything else stays where it is.
 */
export const moveAside = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  schema: string,
  copy: string,
  aside: string
) {
  yield* sql.unsafe(`CREATE SCHEMA ${quoted(aside)}`)
  const statements = yield* sql<{ readonly statement: string }>`
    SELECT format('ALTER TABLE %s SET SCHEMA %I', c.oid::regclass, ${aside}::text) AS statement
    FROM pg_class c JOIN pg_class root ON root.oid = coalesce(pg_partition_root(c.oid), c.oid)
    WHERE c.relnamespace = ${schema}::regnamespace AND c.relkind IN ('r', 'p') AND root.relname IN (
      SELECT relname FROM pg_class WHERE relnamespace = ${copy}::regnamespace)
    UNION ALL
    SELECT format('ALTER ROUTINE %s SET SCHEMA %I', oid::regprocedure, ${aside}::text)
    FROM pg_proc WHERE pronamespace = ${schema}::regnamespace AND proname IN (
      SELECT proname FROM pg_proc WHERE pronamespace = ${copy}::regnamespace)`
  for (const { statement } of statements) yield* sql.unsafe(statement)
})

/**
 * Hands on what the former database remembers of how far its logs were signed, so that no size is signed
 * twice.
 */
export const handOnSigned = (sql: PgClient.PgClient, schema: string, aside: string) =>
  sql.unsafe(
    `INSERT INTO ${quoted(schema)}.consumer_row AS here (workspace_id, consumer, key, value, expires_at)
     SELECT workspace_id, consumer, key, value, expires_at FROM ${quoted(aside)}.consumer_row
     WHERE consumer = $1 AND key = $2
       AND workspace_id IN (SELECT id FROM ${quoted(schema)}.workspace)
     ON CONFLICT (workspace_id, consumer, key) DO UPDATE SET value = excluded.value
     WHERE (excluded.value::jsonb ->> 'furthest')::bigint > (here.value::jsonb ->> 'furthest')::bigint`,
    [SIGNED_CONSUMER, SIGNED_KEY]
  )
