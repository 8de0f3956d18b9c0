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

const versionOf = (db: DatabaseSync): number =>
  Number(db.prepare("PRAGMA user_version").get()?.user_version ?? 0)

/**
 * Does what is missing, which is only known under the lock; returns the file's version as it was found there.
 */
const apply = (db: DatabaseSync, migrations: ReadonlyArray<string>): number => {
  // One of them changes the text of a table's definition, which is otherwise forbidden.
  db.enableDefensive?.(false)
  db.exec("BEGIN IMMEDIATE")
  try {
    const before = versionOf(db)
    for (const statements of migrations.slice(before)) db.exec(statements)
    if (before < migrations.length) db.exec(`PRAGMA user_version = ${migrations.length}`)
    db.exec("COMMIT")
    return before
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK")
    throw error
  } finally {
    db.enableDefensive?.(true)
  }
}

/** Brings one file up to date, and returns how many migrations were applied. */
export const migrate = Effect.fnUntraced(function* (client: SqliteClient, migrations: ReadonlyArray<string>) {
  const known = migrations.length
  const found = yield* client.use("read the schema version", ({ db }) => versionOf(db))
  // While this process waited for the lock, a newer program may have migrated the file.
  const before = found < known ? yield* client.use("migrate", ({ db }) => apply(db, migrations)) : found
  if (before > known)
    return yield* new DatabaseTooNew({ filename: client.config.filename, found: before, known })
  return known - before
})
