/**
 * A copy of the database while it is in use.
 *
 * Each file is copied in one read transaction, which blocks no writer. The copies are from slightly different
 * times, so the order matters: the search index and the consumers first, which may be behind the log; then
 * the inbox; the log last. Rows that the log's copy took from the inbox since are then removed from the
 * inbox's copy too, and the idempotency keys of events that came and went in between are added to it.
 */
import { existsSync, lstatSync, renameSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { backup, DatabaseSync } from "node:sqlite"
import { parseContent } from "@cairn/core/event"
import { Effect, Schema } from "effect"
import { makeFolder } from "./DatabaseFolder.ts"
import { type IdempotencyKeys, idempotencyKeys } from "./IdempotencyKeys.ts"
import { dropAppended } from "./InboxRepair.ts"
import { consumersState, inboxState, noteFile, searchState } from "./SeenFiles.ts"
import type { Preparing } from "./SqliteClient.ts"
import {
  BACKUP_FILES,
  type BackupPaths,
  discardUnfinished,
  pathsOf,
  removeFiles,
  removeUnfinished,
  unfinishedName
} from "./UnfinishedBackups.ts"
import { type RestoreUnfinished, refuseHalfRestored } from "./UnfinishedRestore.ts"

/** A file exists where the copy should be written, or there is none to copy. */
export class BackupRefused extends Schema.TaggedError<BackupRefused>()("BackupRefused", {
  filename: Schema.String,
  reason: Schema.Literals(["exists", "missing"])
}) {
  override get message(): string {
    return this.reason === "exists"
      ? `${this.filename} exists already; a backup never overwrites anything`
      : `there is no database at ${this.filename}`
  }
}

/** The copy could not be written. The unfinished copy is removed. */
export class BackupFailed extends Schema.TaggedError<BackupFailed>()("BackupFailed", {
  filename: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `the backup to ${this.filename} failed`
  }
}

/** The result of a backup. */
export interface BackupResult {
  readonly filename: string
  /** Bytes of all files together. */
  readonly bytes: number
  /** Events in the logs of all workspaces, including legacy events. */
  readonly events: number
  /** Events that wait to be sequenced. */
  readonly waiting: number
}

/** Pages of one step, between which a copy can be stopped: 16 MiB. */
const STEP_PAGES = 4_096

/**
 * How long before the copy began an event may have been accepted whose row is no longer in the inbox's copy.
 */
const OVERLAP_MICROS = 3_600 * 1_000_000

const MICROS_A_MILLI = 1_000

const copyFile = async (from: string, to: string, signal: AbortSignal): Promise<void> => {
  const source = new DatabaseSync(from, { readOnly: true })
  try {
    // One snapshot for all steps: without it a copy starts again once another process has written.
    source.exec("BEGIN")
    source.prepare("SELECT 1 FROM sqlite_schema").get()
    await backup(source, to, { rate: STEP_PAGES, progress: () => signal.throwIfAborted() })
  } finally {
    source.close()
  }
}

/** Claims keys that are free. A file that was never opened by this version is left as its own has it. */
const claimIn = (inbox: DatabaseSync): IdempotencyKeys["claim"] => {
  if (inbox.prepare("SELECT 1 FROM pragma_table_info('idempotency_key') WHERE name = 'hash'").get()) {
    const keys = idempotencyKeys(inbox)
    keys.begin()
    return keys.claim
  }
  const claim = inbox.prepare(
    "INSERT OR IGNORE INTO idempotency_key (workspace, key, event_id, accepted_at) VALUES (?, ?, ?, ?)"
  )
  return (workspace, key, { id, acceptedAt }) => {
    claim.run(workspace, key, id, acceptedAt)
    return undefined
  }
}

/**
 * Brings the inbox's copy to the time of the log's, which is slightly later. Returns how many events wait in
 * it.
 */
const reconcile = (logFile: string, inboxFile: string, begunAt: number): number => {
  const log = new DatabaseSync(logFile, { readOnly: true })
  const inbox = new DatabaseSync(inboxFile)
  try {
    inbox.exec("BEGIN IMMEDIATE")
    // By the events themselves: even the original files may be from different times.
    dropAppended(log, inbox)
    const claim = claimIn(inbox)
    const recent = log.prepare(
      "SELECT workspace, id, created_at, content FROM event WHERE workspace = ? AND created_at >= ?"
    )
    for (const { number } of log.prepare("SELECT number FROM workspace").all()) {
      for (const event of recent.iterate(Number(number), begunAt - OVERLAP_MICROS)) {
        const key =
          typeof event.content === "string" ? parseContent(event.content)?.idempotency_key : undefined
        if (key) claim(Number(number), key, { id: String(event.id), acceptedAt: Number(event.created_at) })
      }
    }
    // A new epoch: rows that are accepted after a restore are numbered again, and must not count as
    // sequenced.
    inbox.exec(
      "UPDATE state SET epoch = lower(hex(randomblob(16))), waiting = (SELECT coalesce(sum(event_count), 0) FROM inbox)"
    )
    inbox.exec("COMMIT")
    return Number(inbox.prepare("SELECT waiting FROM state").get()?.waiting)
  } finally {
    log.close()
    inbox.close()
  }
}

const inFile = <A>(file: string, use: (file: Preparing) => A): A => {
  const db = new DatabaseSync(file)
  try {
    return use({ prepare: (sql) => db.prepare(sql) })
  } finally {
    db.close()
  }
}

const STATES = { inbox: inboxState, search: searchState, consumers: consumersState } as const

/**
 * Makes the log's copy refer to the other copies: the files that it referred to have changed since. Copies of
 * a database that an older version has written have no such references yet.
 */
const introduce = (files: BackupPaths, names: ReadonlyArray<string>): void =>
  inFile(files.log, (log) => {
    if (log.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'file_seen'").get() === undefined) return
    for (const name of ["inbox", "search", "consumers"] as const)
      if (names.includes(name)) noteFile(log, name, inFile(files[name], STATES[name]))
  })

const countEvents = (logFile: string): number => {
  const log = new DatabaseSync(logFile, { readOnly: true })
  try {
    return Number(log.prepare("SELECT coalesce(sum(sequence + legacy_count), 0) AS n FROM head").get()?.n)
  } finally {
    log.close()
  }
}

/** What a copy has that is complete and that nobody has open. */
export const describeCopy = (filename: string): BackupResult => {
  const files = pathsOf(filename)
  const bytes = BACKUP_FILES.reduce(
    (sum, name) => sum + (statSync(files[name], { throwIfNoEntry: false })?.size ?? 0),
    0
  )
  const waiting = inFile(files.inbox, (inbox) =>
    Number(inbox.prepare("SELECT waiting FROM state").get()?.waiting)
  )
  return { filename, bytes, events: countEvents(filename), waiting }
}

/**
 * Copies the database at `filename` to `target`, with its other files next to it. Everything that was
 * acknowledged before the call is in the copy. `now` is in microseconds.
 *
 * Costs reading and writing every page. A copy is either complete or does not exist: the log's file gets its
 * name last. What fails or is interrupted is removed before this ends; what was killed is, by the next backup
 * to that folder.
 */
export const backupTo = (
  filename: string,
  target: string,
  now: number
): Effect.Effect<BackupResult, BackupRefused | BackupFailed | RestoreUnfinished> =>
  Effect.andThen(refuseHalfRestored(filename), copyTo(filename, target, now))

/** Whether something is there, be it a link that leads nowhere. */
const isTaken = (file: string): boolean => {
  try {
    lstatSync(file)
    return true
  } catch {
    return false
  }
}

const copyTo = (
  filename: string,
  target: string,
  now: number
): Effect.Effect<BackupResult, BackupRefused | BackupFailed> =>
  Effect.suspend((): Effect.Effect<BackupResult, BackupRefused | BackupFailed> => {
    const from = pathsOf(filename)
    const to = pathsOf(target)
    const partial = pathsOf(unfinishedName(target))
    // A database that was never opened by a version with consumers has none.
    const names = BACKUP_FILES.filter((name) => name !== "consumers" || existsSync(from.consumers))
    const refuse = (file: string, reason: BackupRefused["reason"]) =>
      Effect.fail(new BackupRefused({ filename: file, reason }))
    const missing = names.find((name) => !existsSync(from[name]))
    if (missing !== undefined) return refuse(from[missing], "missing")
    try {
      if (existsSync(dirname(target))) removeUnfinished(dirname(target), now / MICROS_A_MILLI)
    } catch {
      // It is not this backup's business whether that can be removed.
    }
    const taken = BACKUP_FILES.find((name) => isTaken(to[name]))
    if (taken !== undefined) return refuse(to[taken], "exists")
    const copy = async (signal: AbortSignal): Promise<BackupResult> => {
      makeFolder(dirname(target))
      for (const name of names) {
        await copyFile(from[name], partial[name], signal)
        signal.throwIfAborted()
      }
      const waiting = reconcile(partial.log, partial.inbox, now)
      introduce(partial, names)
      const events = countEvents(partial.log)
      const bytes = names.reduce((sum, name) => sum + statSync(partial[name]).size, 0)
      for (const name of names) renameSync(partial[name], to[name])
      // A read-only connection does not change the other files.
      removeFiles(partial)
      return { filename: target, bytes, events, waiting }
    }
    const discard = () => {
      try {
        discardUnfinished(partial, to)
      } catch {
        // What prevented the copy may also prevent its removal; the next backup removes it.
      }
    }
    let ended: Promise<unknown> = Promise.resolve()
    return Effect.tryPromise({
      try: (signal) => {
        const copied = copy(signal).catch((cause: unknown) => {
          discard()
          throw cause
        })
        ended = copied.catch(() => {})
        return copied
      },
      catch: (cause) => new BackupFailed({ filename: target, cause })
      // A step that goes on would write what was removed.
    }).pipe(Effect.onInterrupt(() => Effect.promise(() => ended)))
  })
