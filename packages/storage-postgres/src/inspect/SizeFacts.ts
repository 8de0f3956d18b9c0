/** How large the tables of a database are, and how its server is set: nothing of what is in them. */
import type { PgClient } from "@effect/sql-pg"
import { home } from "./Home.ts"

/** A table. */
export interface TableSize {
  readonly name: string
  /** As the server last estimated them; -1 if it never has. */
  readonly rows: number
  /** With its indexes. */
  readonly bytes: number
}

/** The tables of the schema, by size. Counts no rows. */
export const tableSizes = (sql: PgClient.PgClient) => sql<TableSize>`
  SELECT relname::text AS name, reltuples::bigint AS rows, pg_total_relation_size(oid)::bigint AS bytes
  FROM pg_class WHERE relkind = 'r' AND relnamespace = ${home(sql)} ORDER BY 3 DESC, 1`

/** Settings that tell how a server works, and hold no address, path or secret. */
const TOLD = [
  "autovacuum",
  "autovacuum_max_workers",
  "autovacuum_naptime",
  "autovacuum_vacuum_cost_delay",
  "checkpoint_completion_target",
  "checkpoint_timeout",
  "commit_delay",
  "default_toast_compression",
  "default_transaction_isolation",
  "effective_cache_size",
  "fsync",
  "full_page_writes",
  "huge_pages",
  "io_method",
  "jit",
  "lc_collate",
  "maintenance_work_mem",
  "max_connections",
  "max_parallel_workers",
  "max_wal_senders",
  "max_wal_size",
  "max_worker_processes",
  "random_page_cost",
  "server_encoding",
  "server_version",
  "shared_buffers",
  "ssl",
  "superuser_reserved_connections",
  "synchronous_commit",
  "TimeZone",
  "track_counts",
  "wal_compression",
  "wal_level",
  "wal_sync_method",
  "work_mem"
]

/** How the server is set. */
export const toldSettings = (sql: PgClient.PgClient) => sql<{
  readonly name: string
  readonly value: string
  readonly source: string
}>`
  SELECT name::text, setting || coalesce(' ' || unit, '') AS value, source::text FROM pg_settings
  WHERE name = ANY (${TOLD}::text[]) ORDER BY name`
