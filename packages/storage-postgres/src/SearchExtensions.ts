/**
 * The extensions behind the search index: `pg_trgm` for the text and `btree_gin` for the place. Both come
 * with PostgreSQL's "contrib", and an owner of the database may create them. Where that cannot be, a search
 * looks at the newest events only.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** What the search can stand on. */
export type SearchSupport =
  /** No index over the text. */
  | "none"
  /** An index that knows letters and digits of ASCII only: the database's locale is "C". */
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
 * Makes the index unless it is there; a database that does not allow it is told of once, and tried again at
 * the next start.
 */
export const prepareSearch = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  if (yield* indexed(sql)) return
  yield* sql
    .withTransaction(
      Effect.gen(function* () {
        // A statement can create an extension that another one is creating; only one of them may.
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

/** What there is to search with. */
export const searchSupport = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  if (!(yield* indexed(sql))) return "none" as const
  const [row] = yield* sql<{ readonly letters: boolean }>`SELECT show_trgm('äöü') <> '{}' AS letters`
  return row?.letters === true ? ("unicode" as const) : ("ascii" as const)
})
