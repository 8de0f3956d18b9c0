/**
 * A backup put in the place of a database, in steps that leave the former database or the restored one,
 * wherever it is killed:
 *
 * 1. `stageBackup` copies the backup into a folder beside the database, checks its files, and removes from
 *    the copy what signs people in. Nothing else has changed yet; such a folder that a killed restore has
 *    left is removed by the next one.
 * 2. `putInPlace` writes down what is to be moved where, and moves it: see `UnfinishedRestore`.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { backup, DatabaseSync } from "node:sqlite"
import { Effect, Schema, type Scope } from "effect"
import { makeFolder } from "./DatabaseFolder.ts"
import { closePresent, handOnEnds, type PresentDatabase } from "./PresentDatabase.ts"
import {
  BACKUP_FILES,
  type BackupPaths,
  isInUse,
  ownerName,
  pathsOf,
  readUnfinished
} from "./UnfinishedBackups.ts"
import { finishRestore, sync, writePlan } from "./UnfinishedRestore.ts"

/** There is no backup, or the database is in use. */
export class RestoreRefused extends Schema.TaggedError<RestoreRefused>()("RestoreRefused", {
  filename: Schema.String,
  reason: Schema.Literals(["missing", "in use"])
}) {
  override get message(): string {
    return this.reason === "missing"
      ? `there is no backup at ${this.filename}`
      : `${this.filename} is in use: stop the servers first`
  }
}

/** A file of the backup is damaged. */
export class BackupDamaged extends Schema.TaggedError<BackupDamaged>()("BackupDamaged", {
  filename: Schema.String,
  /** What SQLite finds. */
  finding: Schema.String
}) {
  override get message(): string {
    return `the backup does not hold, and nothing was changed: ${this.filename}: ${this.finding}`
  }
}

/** The files could not be copied or moved. */
export class RestoreFailed extends Schema.TaggedError<RestoreFailed>()("RestoreFailed", {
  filename: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `the restore to ${this.filename} failed`
  }
}

const EVERY_PAGE = 2 ** 31 - 1

/** Copies a file with all that is committed in it. It may lie where nothing can be written. */
const copyFile = async (from: string, to: string): Promise<void> => {
  const hasLog = (statSync(`${from}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  if (hasLog) {
    const source = new DatabaseSync(from, { readOnly: true })
    try {
      await backup(source, to, { rate: EVERY_PAGE })
    } finally {
      source.close()
    }
  } else copyFileSync(from, to)
  chmodSync(to, 0o600)
}

/** What SQLite finds wrong with a file; `undefined` if it is whole. */
const damageOf = (file: string): string | undefined => {
  try {
    const db = new DatabaseSync(file)
    try {
      const [first] = db.prepare("PRAGMA integrity_check(1)").all()
      const found = String(first?.integrity_check)
      return found === "ok" ? undefined : found
    } finally {
      db.close()
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** What signs somebody in, those first that refer to others. */
const SIGN_INS = ["session_entry", "session", "sign_in_link"]

/**
 * Empties the tables of what signs people in, who sign in again: a session that was ended since the backup
 * would be valid again, and a link that was spent would sign in once more. Backups of earlier versions have
 * no such tables.
 */
const removeSignIns = (log: string): void => {
  const db = new DatabaseSync(log)
  try {
    db.exec("PRAGMA secure_delete = ON; PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
    for (const table of SIGN_INS) {
      const isThere = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table)
      if (isThere !== undefined) db.exec(`DELETE FROM ${table}`)
    }
    db.exec("COMMIT")
    // Only the file itself is put in place, not the write-ahead log beside it.
    const left = db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()
    if (left?.busy !== 0) throw new Error(`${log} is open elsewhere`)
  } finally {
    db.close()
  }
}

/** Removes what killed restores have left beside a database. */
const sweep = (target: string, now: number): void => {
  for (const name of readdirSync(dirname(target))) {
    const left = readUnfinished(name, "restore")
    if (left === undefined || left.target !== basename(target)) continue
    const stage = join(dirname(target), name)
    if (!isInUse([stage], left.host, left.pid, now)) rmSync(stage, { recursive: true, force: true })
  }
}

const MICROS_A_MILLI = 1_000

/** A copy of a backup beside the database that it is to replace. */
export interface StagedBackup {
  /** The log's file; the others are next to it. */
  readonly filename: string
  /** The name of their folder. */
  readonly folder: string
}

/** An empty folder beside `target`, removed with the scope. Removes what killed restores have left. */
const openStage = (target: string, now: number) =>
  Effect.gen(function* () {
    const folder = `.${basename(target)}.restore-${ownerName()}`
    const stage = join(dirname(target), folder)
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(stage, { recursive: true, force: true })))
    yield* Effect.try({
      try: () => {
        makeFolder(dirname(target))
        sweep(target, now / MICROS_A_MILLI)
        mkdirSync(stage, { mode: 0o700 })
      },
      catch: (cause) => new RestoreFailed({ filename: target, cause })
    })
    const staged: StagedBackup = { filename: join(stage, basename(target)), folder }
    return staged
  })

/** Checks each staged file, which an error calls what `shown` has, and removes what signs people in. */
const checkFiles = (target: string, { filename }: StagedBackup, shown: BackupPaths) =>
  Effect.gen(function* () {
    const files = pathsOf(filename)
    for (const name of BACKUP_FILES.filter((file) => existsSync(files[file]))) {
      const finding = damageOf(files[name])
      if (finding !== undefined) return yield* new BackupDamaged({ filename: shown[name], finding })
    }
    yield* Effect.try({
      try: () => removeSignIns(files.log),
      catch: (cause) => new RestoreFailed({ filename: target, cause })
    })
  })

/**
 * Copies a backup beside `target`, checks each file with `integrity_check`, and removes what signs people in.
 * The copy is removed with the scope. `now` is in microseconds. Costs reading every page twice, and writing
 * it.
 */
export const stageBackup = (
  source: string,
  target: string,
  now: number
): Effect.Effect<StagedBackup, RestoreRefused | RestoreFailed | BackupDamaged, Scope.Scope> =>
  Effect.gen(function* () {
    const from = pathsOf(source)
    // A backup of a version without consumers has none, and the search index is built again.
    const names = BACKUP_FILES.filter((name) => existsSync(from[name]))
    const needed = (["log", "inbox"] as const).find((name) => !names.includes(name))
    if (needed !== undefined) return yield* new RestoreRefused({ filename: from[needed], reason: "missing" })
    const staged = yield* openStage(target, now)
    const to = pathsOf(staged.filename)
    yield* Effect.tryPromise({
      try: async () => {
        for (const name of names) await copyFile(from[name], to[name])
      },
      catch: (cause) => new RestoreFailed({ filename: target, cause })
    })
    yield* checkFiles(target, staged, from)
    return staged
  })

/** As {@link stageBackup}, of a backup whose files `fill` writes; `shown` is what errors call them. */
export const stageFilled = <E, R>(
  target: string,
  now: number,
  shown: BackupPaths,
  fill: (files: BackupPaths) => Effect.Effect<void, E, R>
): Effect.Effect<StagedBackup, E | RestoreFailed | BackupDamaged, R | Scope.Scope> =>
  Effect.gen(function* () {
    const staged = yield* openStage(target, now)
    yield* fill(pathsOf(staged.filename))
    yield* checkFiles(target, staged, shown)
    return staged
  })

/** A name beside the database that nothing has. */
const freeName = (target: string, wanted: string): string => {
  for (let count = 1; ; count++) {
    const name = count === 1 ? wanted : `${wanted}-${count}`
    if (!existsSync(join(dirname(target), name))) return name
  }
}

/**
 * Puts a staged backup in the place of the database, of which it closes the files; nobody else may have them
 * open. What was there is kept in a folder beside it, which is returned; `null` if there was nothing. What it
 * remembers of how far its logs went is handed on.
 *
 * Once it has begun to move files it is finished, by the next `finishRestore` if it is killed.
 */
export const putInPlace = (
  staged: StagedBackup,
  present: PresentDatabase | undefined,
  to: { readonly target: string; readonly backup: string; readonly aside: string }
): Effect.Effect<string | null, RestoreFailed> =>
  Effect.try({
    try: () => {
      const { target, backup: source } = to
      if (present !== undefined) {
        handOnEnds(present, staged.filename)
        closePresent(present)
      }
      for (const name of BACKUP_FILES) {
        const file = pathsOf(staged.filename)[name]
        chmodSync(file, 0o600)
        sync(file)
      }
      sync(dirname(staged.filename))
      const aside = present === undefined ? null : freeName(target, to.aside)
      writePlan(target, { backup: source, from: staged.folder, aside })
      finishRestore(target)
      return aside === null ? null : join(dirname(target), aside)
    },
    catch: (cause) => new RestoreFailed({ filename: to.target, cause })
  })
