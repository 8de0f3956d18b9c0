/**
 * Numbered migrations, each applied once and in order, in one transaction that also records its number.
 *
 * SQLite's `user_version` holds the number of the last one. So if two processes migrate at the same time, it
 * is done once: the second waits for the first one's lock and finds nothing left to do.
 */
import type { DatabaseSync } from "node:sqlite"
import { Effect, Schema } from "effect"
import consumers0001 from "./migrations/consumers0001_consumers.ts"
import consumers0002 from "./migrations/consumers0002_removal.ts"
import consumers0003 from "./migrations/consumers0003_waiting.ts"
import consumers0004 from "./migrations/consumers0004_marks.ts"
import consumers0005 from "./migrations/consumers0005_alert_acknowledged.ts"
import inbox0001 from "./migrations/inbox0001_inbox.ts"
import inbox0002 from "./migrations/inbox0002_usage.ts"
import inbox0003 from "./migrations/inbox0003_repair.ts"
import inbox0004 from "./migrations/inbox0004_compact_keys.ts"
import log0001 from "./migrations/log0001_log.ts"
import log0002 from "./migrations/log0002_tree.ts"
import log0003 from "./migrations/log0003_settings.ts"
import log0004 from "./migrations/log0004_anchor.ts"
import log0005 from "./migrations/log0005_checkpoint.ts"
import log0006 from "./migrations/log0006_exports.ts"
import log0007 from "./migrations/log0007_removal.ts"
import log0008 from "./migrations/log0008_viewer.ts"
import log0009 from "./migrations/log0009_target_index.ts"
import log0010 from "./migrations/log0010_anchor_schedule.ts"
import log0011 from "./migrations/log0011_files.ts"
import log0012 from "./migrations/log0012_retention.ts"
import log0013 from "./migrations/log0013_published_checkpoint.ts"
import log0014 from "./migrations/log0014_unknown_fields.ts"
import log0015 from "./migrations/log0015_log_origin.ts"
import log0016 from "./migrations/log0016_people.ts"
import log0017 from "./migrations/log0017_key_access_events.ts"
import log0018 from "./migrations/log0018_key_shortened.ts"
import log0019 from "./migrations/log0019_no_filter_columns.ts"
import log0020 from "./migrations/log0020_viewer_settings.ts"
import log0021 from "./migrations/log0021_closed.ts"
import search0001 from "./migrations/search0001_search.ts"
import search0002 from "./migrations/search0002_removal.ts"
import search0003 from "./migrations/search0003_mark.ts"
import search0004 from "./migrations/search0004_removals.ts"
import search0005 from "./migrations/search0005_frames.ts"
import search0006 from "./migrations/search0006_values.ts"
import search0007 from "./migrations/search0007_occurrence.ts"
import type { SqliteClient } from "./SqliteClient.ts"

/** The statements that bring each file up to date; append-only. */
export const MIGRATIONS = {
  log: [
    log0001,
    log0002,
    log0003,
    log0004,
    log0005,
    log0006,
    log0007,
    log0008,
    log0009,
    log0010,
    log0011,
    log0012,
    log0013,
    log0014,
    log0015,
    log0016,
    log0017,
    log0018,
    log0019,
    log0020,
    log0021
  ],
  inbox: [inbox0001, inbox0002, inbox0003, inbox0004],
  search: [search0001, search0002, search0003, search0004, search0005, search0006, search0007],
  consumers: [consumers0001, consumers0002, consumers0003, consumers0004, consumers0005]
} as const

/** The files that have migrations of their own. */
export type MigratedFile = keyof typeof MIGRATIONS

/**
 * Of each file, the number of the last migration that takes something away, or gives what is there another
 * form. Those after it only add, so that a program which has all up to this one may work on a file that has
 * more.
 */
export const LAST_CONVERSION: Readonly<Record<MigratedFile, number>> = {
  log: 20,
  inbox: 4,
  search: 7,
  consumers: 5
}

/** The file was written by a newer program; this one would damage it. */
export class DatabaseTooNew extends Schema.TaggedError<DatabaseTooNew>()("DatabaseTooNew", {
  filename: Schema.String,
  /** Number of the file's last migration. */
  found: Schema.Number,
  /** Number of the last one that this program has. */
  known: Schema.Number
}) {
  override get message(): string {
    return `${this.filename} is at migration ${this.found}, but this version of Cairn knows only ${this.known}; use a newer one`
  }
}

/** How far a file is brought up to date. */
export interface SchemaVersion {
  /** Number of its last migration; 0 for none. */
  readonly found: number
  /** Number of the last migration that a program must have to work on it. */
  readonly needed: number
}

const has = (db: Pick<DatabaseSync, "prepare">, table: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== undefined

/** How far a file is up to date. One that an earlier version migrated does not say what it needs. */
export const versionOf = (db: Pick<DatabaseSync, "prepare">): SchemaVersion => {
  const found = Number(db.prepare("PRAGMA user_version").get()?.user_version ?? 0)
  const needed = has(db, "cairn_migration")
    ? db.prepare("SELECT needs FROM cairn_migration").get()?.needs
    : undefined
  return { found, needed: Number(needed ?? found) }
}

/** Does what is missing, which is only known under the lock; returns how the file was found there. */
const apply = (db: DatabaseSync, name: MigratedFile, migrations: ReadonlyArray<string>): SchemaVersion => {
  // One of them changes the text of a table's definition, which is otherwise forbidden.
  db.enableDefensive?.(false)
  db.exec("BEGIN IMMEDIATE")
  try {
    const before = versionOf(db)
    for (const statements of migrations.slice(before.found)) db.exec(statements)
    if (before.found < migrations.length) {
      const needs = Math.min(migrations.length, LAST_CONVERSION[name])
      db.exec(`PRAGMA user_version = ${migrations.length}`)
      db.exec(
        "CREATE TABLE IF NOT EXISTS cairn_migration (needs INTEGER NOT NULL); DELETE FROM cairn_migration"
      )
      db.exec(`INSERT INTO cairn_migration (needs) VALUES (${needs})`)
    }
    db.exec("COMMIT")
    return before
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK")
    throw error
  } finally {
    db.enableDefensive?.(true)
  }
}

/**
 * Brings one file up to date with this program's `migrations`, and returns how many were applied. Where a
 * newer program has done more, none is: see {@link LAST_CONVERSION}.
 */
export const migrate = Effect.fnUntraced(function* (
  client: SqliteClient,
  name: MigratedFile,
  migrations: ReadonlyArray<string> = MIGRATIONS[name]
) {
  const known = migrations.length
  const { filename } = client.config
  const seen = yield* client.use("read the schema version", ({ db }) => versionOf(db))
  // While this process waited for the lock, a newer program may have migrated the file.
  const before =
    seen.found < known ? yield* client.use("migrate", ({ db }) => apply(db, name, migrations)) : seen
  if (before.found <= known) return known - before.found
  if (before.needed > known) return yield* new DatabaseTooNew({ filename, found: before.found, known })
  yield* Effect.logWarning(
    `${filename} is at migration ${before.found}, and this version of Cairn knows ${known}; what it does not know only adds, so it goes on`
  )
  return 0
})
