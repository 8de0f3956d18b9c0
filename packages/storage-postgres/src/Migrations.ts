/**
 * Numbered migrations, each applied once and in order. All missing ones are applied in one transaction,
 * behind a lock that makes any other process wait and then find nothing left to do.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import log from "./migrations/0001_log.ts"
import tree from "./migrations/0002_tree.ts"
import search from "./migrations/0003_search.ts"
import rate from "./migrations/0004_rate.ts"
import settings from "./migrations/0005_settings.ts"
import consumers from "./migrations/0006_consumers.ts"
import anchor from "./migrations/0007_anchor.ts"
import checkpoint from "./migrations/0008_checkpoint.ts"
import exports from "./migrations/0009_exports.ts"
import usage from "./migrations/0010_usage.ts"
import removal from "./migrations/0011_removal.ts"
import viewer from "./migrations/0012_viewer.ts"
import targetIndex from "./migrations/0013_target_index.ts"
import anchorSchedule from "./migrations/0014_anchor_schedule.ts"
import waiting from "./migrations/0015_waiting.ts"
import retention from "./migrations/0016_retention.ts"
import publishedCheckpoint from "./migrations/0017_published_checkpoint.ts"
import timeline from "./migrations/0018_timeline.ts"
import losses from "./migrations/0019_losses.ts"
import unknownFields from "./migrations/0020_unknown_fields.ts"
import logOrigin from "./migrations/0021_log_origin.ts"
import alertAcknowledged from "./migrations/0022_alert_acknowledged.ts"
import people from "./migrations/0023_people.ts"
import keyAccessEvents from "./migrations/0024_key_access_events.ts"
import keyShortened from "./migrations/0025_key_shortened.ts"
import searchFrames from "./migrations/0026_search_frames.ts"
import noFilterColumns from "./migrations/0027_no_filter_columns.ts"
import compactKeys from "./migrations/0028_compact_keys.ts"
import indexOfOccurrence from "./migrations/0029_index_of_occurrence.ts"
import viewerSettings from "./migrations/0030_viewer_settings.ts"
import closed from "./migrations/0031_closed.ts"

/** The statements that bring a database up to date; append-only. */
export const MIGRATIONS: ReadonlyArray<ReadonlyArray<string>> = [
  log,
  tree,
  search,
  rate,
  settings,
  consumers,
  anchor,
  checkpoint,
  exports,
  usage,
  removal,
  viewer,
  targetIndex,
  anchorSchedule,
  waiting,
  retention,
  publishedCheckpoint,
  timeline,
  losses,
  unknownFields,
  logOrigin,
  alertAcknowledged,
  people,
  keyAccessEvents,
  keyShortened,
  searchFrames,
  noFilterColumns,
  compactKeys,
  indexOfOccurrence,
  viewerSettings,
  closed
]

/** The database was written by a newer program; this one would damage it. */
export class DatabaseTooNew extends Schema.TaggedError<DatabaseTooNew>()("DatabaseTooNew", {
  /** Number of the database's last migration. */
  found: Schema.Number,
  /** Number of the last one that this program has. */
  known: Schema.Number
}) {
  override get message(): string {
    return `the database is at migration ${this.found}, but this version of Cairn knows only ${this.known}; use a newer one`
  }
}

/** "Cairn" as a key of an advisory lock. */
const LOCK = 0x436169726e

/** The number of the last migration that the database has; 0 for none. */
export const versionOf = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const [table] = yield* sql<{ readonly there: boolean }>`
    SELECT to_regclass('cairn_migration') IS NOT NULL AS there`
  if (table?.there !== true) return 0
  const [row] = yield* sql<{ readonly version: number }>`
    SELECT coalesce(max(number), 0) AS version FROM cairn_migration`
  return row?.version ?? 0
})

/** Brings the database up to date with this program's `migrations`, and returns how many were applied. */
export const migrate = Effect.fn("migrate")(function* (migrations: ReadonlyArray<ReadonlyArray<string>>) {
  const sql = yield* PgClient.PgClient
  const known = migrations.length
  const before = yield* versionOf(sql)
  if (before > known) return yield* new DatabaseTooNew({ found: before, known })
  if (before === known) return 0
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SET LOCAL lock_timeout = 0`
      yield* sql`SET LOCAL statement_timeout = 0`
      yield* sql`SELECT pg_advisory_xact_lock(${LOCK})`
      yield* sql`CREATE TABLE IF NOT EXISTS cairn_migration (
        number integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`
      const version = yield* versionOf(sql)
      if (version > known) return yield* new DatabaseTooNew({ found: version, known })
      for (const [index, statements] of migrations.entries()) {
        if (index < version) continue
        for (const statement of statements) yield* sql.unsafe(statement)
        yield* sql`INSERT INTO cairn_migration (number) VALUES (${index + 1})`
      }
      return known - version
    })
  )
})

/** The errors of {@link migrate}. */
export type MigrationError = DatabaseTooNew | SqlError
