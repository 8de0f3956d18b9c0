/**
 * The extensions for the search index: `pg_trgm` for the text and `btree_gin` for the place. Both come with
 * PostgreSQL's "contrib", and an owner of the database may create them. If that is not possible, a search
 * covers only the newest events.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** What the search can use. */
export type SearchSupport =
  /** No index of texts. */
  | "none"
  /** An index that knows only ASCII letters and digits: the database's locale is "C". */
  | "ascii"
  /** An index that knows letters and digits of any script. */
  | "unicode"

const CREATE = [
  "CREATE EXTENSION IF NOT EXISTS pg_trgm",
  "CREATE EXTENSION IF NOT EXISTS btree_gin",
  "CREATE INDEX IF NOT EXISTS search_text ON search USING gin (place, text gin_trgm_ops)"
]

const indexed = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const [row] = yield* sql<{
    readonly there: boolean
  }>`SELECT to_regclass('search_text') IS NOT NULL AS there`
  return row?.there === true
})

/**
 * Creates the index unless it exists. If the database does not allow it, that is logged once, and tried again
 * at the next start.
 */
export const prepareSearch = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  if (yield* indexed(sql)) return
  yield* sql
    .withTransaction(
      Effect.gen(function* () {
        // A statement may fail because another one is creating the same extension; only one of them can.
        yield* sql`SELECT pg_advisory_xact_lock(${0x73656172})`
        yield* sql`SET LOCAL statement_timeout = 0`
        for (const statement of CREATE) yield* sql.unsafe(statement)
      })
    )
    .pipe(
      Effect.catchTag("SqlError", (error) =>
        Effect.logWarning(
          "Search has no index and looks at the newest events only: pg_trgm and btree_gin could not be created"
        ).pipe(Effect.annotateLogs({ cause: String(error.reason.cause) }))
      )
    )
})

/** What a search can use. */
export const searchSupport = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  if (!(yield* indexed(sql))) return "none" as const
  const [row] = yield* sql<{ readonly letters: boolean }>`SELECT show_trgm('äöü') <> '{}' AS letters`
  return row?.letters === true ? ("unicode" as const) : ("ascii" as const)
})
