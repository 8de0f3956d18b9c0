/**
 * Brings the search index's file up to date. Versions before its fifth migration kept trigrams there, those
 * before its sixth frames of texts alone, and those before its seventh fewer of the values that events are
 * filtered by and no order of occurrence: they are dropped at once, and the index is built again in the
 * background, while filters and searches read what it lacks from the log.
 *
 * Their pages are given back to the file system and not overwritten: what it does with freed blocks is its
 * own affair, as when a file is deleted.
 */
import { Effect } from "effect"
import { migrate } from "./Migrations.ts"
import type { SqliteClient, SqliteDatabase } from "./SqliteClient.ts"

/** What the file held until the migration that replaces it. */
const FORMER =
  "SELECT 1 FROM sqlite_schema WHERE name = 'search' OR name = 'search_frame' AND sql NOT LIKE '%layout%'"

/** Pages that a file may hold beside free ones to be rewritten: 16 MiB, some tens of milliseconds. */
const FEW_PAGES = 4_096

const pragma = ({ db }: SqliteDatabase, name: string): number =>
  Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])

/** Whether most of the file is free pages, which a conversion that was cut off has left. */
const isMostlyFree = (database: SqliteDatabase): boolean => {
  const free = pragma(database, "freelist_count")
  return free > FEW_PAGES && pragma(database, "page_count") - free <= FEW_PAGES
}

/** Gives the pages back. Where others use the file, they stay free, and the next start tries again. */
const giveBack = (database: SqliteDatabase): void => {
  if (!isMostlyFree(database)) return
  database.db.exec("VACUUM")
  database.db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
}

/** Brings the file up to date. Fails as `migrate` does. */
export const migrateSearch = Effect.fnUntraced(function* (search: SqliteClient) {
  const hasFormer = yield* search.use("look at the index", ({ db }) => db.prepare(FORMER).get() !== undefined)
  if (hasFormer) {
    yield* Effect.logWarning(
      "The search index of an earlier version is built again in the background: searches are exact, and slow until it has caught up"
    )
    yield* search.use("drop the former index", ({ db }) => db.exec("PRAGMA secure_delete = OFF"))
  }
  yield* migrate(search, "search")
  yield* search.use("keep erasing what is deleted", ({ db }) => db.exec("PRAGMA secure_delete = ON"))
  yield* Effect.ignore(search.use("give pages back", giveBack))
})
