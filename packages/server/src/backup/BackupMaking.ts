/** Makes a backup in the store, has it fetched back and verified, and removes what is no longer kept. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Micros } from "@cairn/core/encoding"
import { storeErrorText } from "@cairn/core/log"
import { BACKUP_FILES, logHeads, makeFolder, openScratch, pathsOf } from "@cairn/storage-sqlite"
import { Effect, Schema } from "effect"
import type { StorageConfig } from "../layers/Storage.ts"
import type { BackupSettings } from "../settings/BackupSettings.ts"
import { version } from "../Version.ts"
import { rereadStored, verifyStored } from "./BackupVerification.ts"
import { copyDatabase, lockDatabase } from "./DatabaseCopy.ts"
import {
  listBackups,
  type Manifest,
  nextName,
  readManifest,
  removeBackup,
  type StoredBackup,
  storedFiles,
  type Verdict,
  writeBegun,
  writeManifest,
  writeVerdict
} from "./StoredBackups.ts"
import { uploadFile } from "./StoredFiles.ts"

/** Another process makes one now. */
export class BackupUnderWay extends Schema.TaggedError<BackupUnderWay>()("BackupUnderWay", {}) {
  override get message(): string {
    return "another backup of this database is being made"
  }
}

/** What the store has is of another database. */
export class OtherDatabase extends Schema.TaggedError<OtherDatabase>()("OtherDatabase", {
  name: Schema.String
}) {
  override get message(): string {
    return `CAIRN_BACKUP_STORE has backups of another database (${this.name} has none of its workspaces): each database needs a store, or a prefix, of its own`
  }
}

/** What became of a backup. */
export const MadeBackup = Schema.Struct({
  name: Schema.String,
  made_at: Schema.String,
  bytes: Schema.Int,
  events: Schema.Int,
  waiting: Schema.Int,
  holds: Schema.Boolean,
  findings: Schema.Array(Schema.String),
  seconds: Schema.Finite,
  /** Older backups that were read again and are no longer what was written. */
  spoiled: Schema.Array(Schema.Struct({ name: Schema.String, findings: Schema.Array(Schema.String) })),
  removed: Schema.Array(Schema.String)
})
export type MadeBackup = typeof MadeBackup.Type

/** When a backup was made; undefined for one that is not known to hold. */
const heldSince = ({ state, verdict }: StoredBackup): Micros.Micros | undefined =>
  state === "holds" && verdict !== null ? Micros.parse(verdict.made_at) : undefined

/**
 * When the newest backup was made that holds; undefined if there is none. One from the future was made while
 * the clock was ahead, and says nothing.
 */
export const newestHeld = (
  all: ReadonlyArray<StoredBackup>,
  now: Micros.Micros
): { readonly backup: StoredBackup; readonly madeAt: Micros.Micros } | undefined => {
  for (const backup of all) {
    const madeAt = heldSince(backup)
    if (madeAt !== undefined && madeAt <= now + Micros.MINUTE) return { backup, madeAt }
  }
  return undefined
}

/**
 * Those that are no longer kept: beyond the newest `keep` that hold, whatever is older than these. Of those
 * that do not hold, the newest stays to be looked at until then, and of those that could not be verified the
 * newest does while none after it holds.
 */
export const removable = (all: ReadonlyArray<StoredBackup>, keep: number): ReadonlyArray<StoredBackup> => {
  const held = all.filter(({ state }) => state === "holds")
  const [newest] = held
  const last = held[keep - 1]
  const isAfter = (one: StoredBackup, other: StoredBackup | undefined) =>
    other !== undefined && all.indexOf(one) > all.indexOf(other)
  const broken = all.find(({ state }) => state === "does_not_hold")
  const unverified = all.find(({ state }) => state === "unverified")
  return all.filter((one) => {
    if (isAfter(one, last)) return true
    if (one.state === "does_not_hold") return one !== broken
    return one.state === "unverified" && (one !== unverified || isAfter(one, newest))
  })
}

/** Fails if the newest backup has workspaces, and none of them is in the database. */
const refuseOther = Effect.fnUntraced(function* (all: ReadonlyArray<StoredBackup>, logs: Manifest["logs"]) {
  const newest = all.find(({ state }) => state === "holds")
  if (newest === undefined) return
  const { manifest } = yield* readManifest(newest.name)
  const ids = new Set(logs.map(({ workspace_id }) => workspace_id))
  if (manifest.logs.length > 0 && !manifest.logs.some(({ workspace_id }) => ids.has(workspace_id)))
    return yield* new OtherDatabase({ name: newest.name })
})

/** Copies the database and writes the copy to the store, with its manifest. */
const write = (
  settings: StorageConfig,
  { folder }: BackupSettings,
  all: ReadonlyArray<StoredBackup>,
  name: string
) =>
  Effect.gen(function* () {
    const now = yield* Micros.now
    const scratch = yield* openScratch(folder, now)
    const copy = yield* copyDatabase(settings.database, folder, join(scratch, "cairn.db"))
    const logs = logHeads(copy.filename)
    yield* refuseOther(all, logs)
    yield* writeBegun(name, now)
    const paths = pathsOf(copy.filename)
    const files: Array<Manifest["files"][number]> = []
    for (const file of BACKUP_FILES.filter((one) => existsSync(paths[one])))
      files.push({ file, ...(yield* uploadFile(paths[file], storedFiles(name)[file])) })
    const manifest: Manifest = {
      format: 1,
      cairn: version,
      database: settings.database.kind,
      made_at: Micros.format(now),
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      events: copy.events,
      waiting: copy.waiting,
      files,
      logs: logs.map(({ workspace_id, size, head }) => ({ workspace_id, size, head }))
    }
    return { manifest, hash: yield* writeManifest(name, manifest) }
  }).pipe(
    Effect.scoped,
    // What cannot be removed now is removed before the next one is made.
    Effect.onError(() => Effect.ignore(removeBackup(name)))
  )

/** Reads the backup again whose last look was the longest ago; returns what is wrong with it. */
const rereadOldest = Effect.fnUntraced(function* (all: ReadonlyArray<StoredBackup>) {
  const [oldest] = all
    .flatMap((backup) => (backup.state === "holds" && backup.verdict !== null ? [backup.verdict] : []))
    .sort((one, other) => (one.checked_at < other.checked_at ? -1 : 1))
  const backup = all.find(({ verdict }) => verdict === oldest)
  if (oldest === undefined || backup === undefined) return []
  const { name } = backup
  const findings = yield* Effect.flatMap(readManifest(name), ({ manifest }) =>
    rereadStored(name, manifest)
  ).pipe(Effect.catchTag("BackupBroken", ({ finding }) => Effect.succeed([finding])))
  const checked_at = Micros.format(yield* Micros.now)
  yield* writeVerdict(name, { ...oldest, checked_at, holds: findings.length === 0, findings })
  return findings.length === 0 ? [] : [{ name, findings }]
})

/** Verifies a backup that is in the store, and records the verdict. */
export const verifyAndRecord = Effect.fnUntraced(function* (
  settings: StorageConfig,
  folder: string,
  name: string,
  { manifest, hash }: { readonly manifest: Manifest; readonly hash: string },
  begun: Micros.Micros
) {
  const findings = yield* verifyStored(settings, folder, name, manifest)
  const now = yield* Micros.now
  const verdict: Verdict = {
    made_at: manifest.made_at,
    bytes: manifest.bytes,
    events: manifest.events,
    holds: findings.length === 0,
    findings,
    checked_at: Micros.format(now),
    seconds: Math.max(0, Math.round((now - begun) / 1_000) / 1_000),
    manifest_sha256: hash
  }
  yield* writeVerdict(name, verdict)
  return verdict
})

/** Removes what is no longer kept; returns the names. */
const removeOld = Effect.fnUntraced(function* (keep: number) {
  const names = removable(yield* listBackups, keep).map(({ name }) => name)
  for (const name of names) yield* removeBackup(name)
  return names
})

/** What fails after a backup was made and verified is done with the next one. */
const orLater =
  (line: string) =>
  <A, E, R>(effect: Effect.Effect<ReadonlyArray<A>, E, R>): Effect.Effect<ReadonlyArray<A>, never, R> =>
    Effect.catch(effect, (error) =>
      Effect.logWarning(line).pipe(
        Effect.annotateLogs({ reason: storeErrorText(error) }),
        Effect.as<ReadonlyArray<A>>([])
      )
    )

/** The lock of the database, until the scope ends. */
const lock = Effect.fnUntraced(function* ({ database }: StorageConfig) {
  if (!(yield* lockDatabase(database))) return yield* new BackupUnderWay()
})

/**
 * Makes a backup. With `unless`, none if one that holds is not older than so many seconds; null is returned
 * then. Needs the space of the database in the folder, once.
 */
export const makeBackup = (settings: StorageConfig, backup: BackupSettings, unless: number | null) =>
  Effect.gen(function* () {
    yield* lock(settings)
    const begun = yield* Micros.now
    const before = yield* listBackups
    const newest = newestHeld(before, begun)
    if (unless !== null && newest !== undefined && begun - newest.madeAt < unless * Micros.SECOND) return null
    // What those that failed have left would fill the store.
    const left = removable(before, backup.keep).filter(({ state }) => state === "unverified")
    for (const one of before)
      if (one.state === "unfinished" || left.includes(one)) yield* removeBackup(one.name)
    const name = yield* nextName(before, begun)
    yield* Effect.sync(() => makeFolder(backup.folder))
    const written = yield* write(settings, backup, before, name)
    const verdict = yield* verifyAndRecord(settings, backup.folder, name, written, begun)
    const spoiled = yield* rereadOldest(before).pipe(orLater("An older backup could not be read again"))
    const removed = yield* removeOld(backup.keep).pipe(orLater("Older backups could not be removed"))
    const { holds, findings, seconds, made_at } = verdict
    const { bytes, events, waiting } = written.manifest
    const made: MadeBackup = {
      name,
      made_at,
      bytes,
      events,
      waiting,
      holds,
      findings,
      seconds,
      spoiled,
      removed
    }
    return made
  }).pipe(Effect.scoped)
