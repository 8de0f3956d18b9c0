/**
 * Numbered migrations, each applied once and in order. All missing ones are applied in one transaction,
 * behind a lock that makes any other process wait and then find nothing left to do.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Schedule, Schema } from "effect"
import { isSqlError } from "effect/sql/SqlError"
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
import workspaceNumbers from "./migrations/0032_workspace_numbers.ts"
import closingLock from "./migrations/0033_closing_lock.ts"
import { sqlState } from "./SqlState.ts"

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
  closed,
  workspaceNumbers,
  closingLock
]

/**
 * Number of the last migration that takes something away, or gives what is there another form. Those after it
 * only add, so that a program which has all up to this one may work on a database that has more.
 */
export const LAST_CONVERSION = 30

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

/** How far a database is brought up to date. */
export interface SchemaVersion {
  /** Number of its last migration; 0 for none. */
  readonly found: number
  /** Number of the last migration that a program must have to work on it. */
  readonly needed: number
}

/** How far the database is brought up to date. A row of an earlier version does not say what it needs. */
export const versionOf = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const [table] = yield* sql<{ readonly there: boolean }>`
    SELECT to_regclass('cairn_migration') IS NOT NULL AS there`
  if (table?.there !== true) return { found: 0, needed: 0 }
  const [row] = yield* sql<SchemaVersion>`
    SELECT coalesce(max(number), 0) AS found,
      coalesce(max(coalesce((to_jsonb(m) ->> 'needs')::integer, number)), 0) AS needed
    FROM cairn_migration m`
  return row ?? { found: 0, needed: 0 }
})

/** What is to be done about a database that has more than this program: nothing, or it is refused. */
const goesOn = ({ found, needed }: SchemaVersion, known: number) =>
  needed > known
    ? Effect.fail(new DatabaseTooNew({ found, known }))
    : Effect.as(
        Effect.logWarning(
          `The database is at migration ${found}, and this version of Cairn knows ${known}; what it does not know only adds, so it goes on`
        ),
        0
      )

/** Lock not available, deadlock detected. */
const HELD = ["55P03", "40P01"]

/**
 * Tries again where somebody holds a table that a migration changes: meanwhile the servers of the former
 * version have what it had locked before.
 */
const untilFree = <A, E, R>(migration: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let told = false
    const isHeld = (error: E) => isSqlError(error) && HELD.includes(sqlState(error))
    return migration.pipe(
      Effect.tapError((error) => {
        if (told || !isHeld(error)) return Effect.void
        told = true
        return Effect.logWarning(
          "A table is in use, and its migration waits until it is free: end what reads the database for long"
        )
      }),
      Effect.retry({ while: isHeld, schedule: Schedule.spaced("1 second") })
    )
  })

/**
 * Brings the database up to date with this program's `migrations`, and returns how many were applied. Where a
 * newer program has done more, none is: see {@link LAST_CONVERSION}.
 */
export const migrate = Effect.fn("migrate")(function* (migrations: ReadonlyArray<ReadonlyArray<string>>) {
  const sql = yield* PgClient.PgClient
  const known = migrations.length
  const before = yield* versionOf(sql)
  if (before.found > known) return yield* goesOn(before, known)
  if (before.found === known) return 0
  return yield* Effect.gen(function* () {
    yield* sql`SET LOCAL lock_timeout = 0`
    yield* sql`SET LOCAL statement_timeout = 0`
    yield* sql`SELECT pg_advisory_xact_lock(${LOCK})`
    // One table after the other is locked: servers of the former version wait for all of them.
    yield* sql`SET LOCAL lock_timeout = '2s'`
    yield* sql`CREATE TABLE IF NOT EXISTS cairn_migration (
        number integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`
    const version = yield* versionOf(sql)
    if (version.found > known) return yield* goesOn(version, known)
    yield* sql`ALTER TABLE cairn_migration ADD COLUMN IF NOT EXISTS needs integer`
    for (const [index, statements] of migrations.entries()) {
      if (index < version.found) continue
      for (const statement of statements) yield* sql.unsafe(statement)
      yield* sql`INSERT INTO cairn_migration (number, needs)
          VALUES (${index + 1}, ${Math.min(index + 1, LAST_CONVERSION)})`
    }
    return known - version.found
  }).pipe(sql.withTransaction, untilFree)
})
