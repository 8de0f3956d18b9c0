/**
 * The backups in a store: what lies there, by its names.
 *
 * A backup is the files `NAME.db`, `NAME-inbox.db` and so on, as `cairn backup FILE` writes them. Before them
 * `NAME.begun.json` is written, so that what a crash left is found; after them the manifest, without which a
 * backup is unfinished and never restored; and last the verdict on it.
 */
import { createHash } from "node:crypto"
import { Micros } from "@cairn/core/encoding"
import { ExportStore, ExportStoreUnavailable } from "@cairn/core/export"
import { BACKUP_FILES, pathsOf } from "@cairn/storage-sqlite"
import { Effect, Option, Schema, Stream } from "effect"

/** Where all of them lie in the store. */
const FOLDER = "backups"
/** The number puts them in order, whatever the clock showed; the time is for people. */
const NAME = /^(\d{6,15})-\d{8}T\d{6}Z$/
const FILE = /^backups\/(\d{6,15}-\d{8}T\d{6}Z)((?:-inbox|-consumers|-search)?\.db|\.[a-z]+\.json)$/

/** Of the manifest; a later form has a higher number. */
const FORMAT = 1

/** Most bytes of a manifest or a verdict: a hundred thousand logs take ten million. */
const MOST_BYTES = 64 * 1024 * 1024

const Sha256Hex = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))

/** One of its files. */
export const BackedUpFile = Schema.Struct({
  file: Schema.Literals(BACKUP_FILES),
  bytes: Schema.Int,
  sha256: Sha256Hex
})
export type BackedUpFile = typeof BackedUpFile.Type

/** What a backup is; written once its files are. */
export const Manifest = Schema.Struct({
  format: Schema.Literal(FORMAT),
  /** The version of Cairn that made it. */
  cairn: Schema.String,
  database: Schema.Literals(["sqlite", "postgres"]),
  made_at: Schema.String,
  /** Bytes of all files together. */
  bytes: Schema.Int,
  events: Schema.Int,
  /** Events that wait to be sequenced. */
  waiting: Schema.Int,
  files: Schema.Array(BackedUpFile),
  /** Where each log ends. */
  logs: Schema.Array(
    Schema.Struct({
      workspace_id: Schema.String,
      size: Schema.Int,
      head: Schema.NullOr(Schema.String)
    })
  )
})
export type Manifest = typeof Manifest.Type

/** What its verification has found, with what a list shows of it. */
export const Verdict = Schema.Struct({
  made_at: Schema.String,
  bytes: Schema.Int,
  events: Schema.Int,
  holds: Schema.Boolean,
  /** What does not hold; empty for one that does. */
  findings: Schema.Array(Schema.String),
  checked_at: Schema.String,
  /** What making and verifying it took. */
  seconds: Schema.Finite,
  manifest_sha256: Sha256Hex
})
export type Verdict = typeof Verdict.Type

/** A backup in the store. */
export interface StoredBackup {
  readonly name: string
  /** The names of its files in the store, with those beside them. */
  readonly files: ReadonlyArray<string>
  readonly state: "holds" | "does_not_hold" | "unverified" | "unfinished"
  /** Null for one without, or with one that cannot be read. */
  readonly verdict: Verdict | null
}

/** It cannot be restored: something in the store is not what was written. */
export class BackupBroken extends Schema.TaggedError<BackupBroken>()("BackupBroken", {
  name: Schema.String,
  finding: Schema.String
}) {
  override get message(): string {
    return `the backup ${this.name} does not hold: ${this.finding}`
  }
}

/** It was made by a version of Cairn that is newer than this one. */
export class BackupTooNew extends Schema.TaggedError<BackupTooNew>()("BackupTooNew", {
  name: Schema.String,
  cairn: Schema.String
}) {
  override get message(): string {
    return `the backup ${this.name} was made by a newer version of Cairn (${this.cairn}): use that one, or a later one`
  }
}

/** The name in the store of a backup's database file, from which its others derive. */
const databaseName = (name: string): string => `${FOLDER}/${name}.db`

/** The names of its files in the store. */
export const storedFiles = (name: string) => pathsOf(databaseName(name))

const beside = (name: string, kind: "begun" | "manifest" | "verdict"): string =>
  `${FOLDER}/${name}.${kind}.json`

/** Whether a text is the name of a backup. */
export const isBackupName = (text: string): boolean => NAME.test(text)

const numberOf = (name: string): number => Number(NAME.exec(name)?.[1] ?? 0)

/** Something in the store is named as a backup after which none can follow. */
export class NoNumberLeft extends Schema.TaggedError<NoNumberLeft>()("NoNumberLeft", {
  name: Schema.String
}) {
  override get message(): string {
    return `no backup can follow ${this.name} in CAIRN_BACKUP_STORE, whose number is the highest that there is: remove it there`
  }
}

/** The name of the backup after those that are there. */
export const nextName = (all: ReadonlyArray<StoredBackup>, now: Micros.Micros) => {
  const [last = ""] = all.map(({ name }) => name).sort((one, other) => numberOf(other) - numberOf(one))
  const number = String(numberOf(last) + 1).padStart(6, "0")
  const name = `${number}-${Micros.formatSeconds(now).replace(/[-:]/g, "")}`
  return isBackupName(name) ? Effect.succeed(name) : Effect.fail(new NoNumberLeft({ name: last }))
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** A small file of the store. */
const readSmall = (store: ExportStore["Service"], name: string) =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    return Stream.runForEach(store.read(name), (chunk) => {
      chunks.push(chunk)
      size += chunk.length
      return size > MOST_BYTES
        ? Effect.fail(
            new ExportStoreUnavailable({
              operation: `read ${name}`,
              cause: new Error(`it is longer than ${MOST_BYTES} bytes`)
            })
          )
        : Effect.void
    }).pipe(Effect.map(() => Buffer.concat(chunks)))
  })

const writeJson = (store: ExportStore["Service"], name: string, value: unknown) => {
  const bytes = Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`)
  return Effect.as(store.write(name, "application/json", Stream.make(new Uint8Array(bytes))), sha256(bytes))
}

const decodeVerdict = Schema.decodeUnknownOption(Schema.fromJsonString(Verdict))
const decodeManifest = Schema.decodeUnknownOption(Schema.fromJsonString(Manifest))
const decodeVersion = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ format: Schema.Int, cairn: Schema.String }))
)

const readVerdict = (store: ExportStore["Service"], name: string) =>
  readSmall(store, beside(name, "verdict")).pipe(
    Effect.map((bytes) => Option.getOrNull(decodeVerdict(bytes.toString("utf8")))),
    // It may just have been removed.
    Effect.catchTag("ExportFileMissing", () => Effect.succeed(null))
  )

/** One backup, of which these files are there. */
const stored = (store: ExportStore["Service"], name: string, files: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const unfinished: StoredBackup = { name, files, state: "unfinished", verdict: null }
    if (!files.includes(beside(name, "manifest"))) return unfinished
    if (!files.includes(beside(name, "verdict"))) return { ...unfinished, state: "unverified" as const }
    const verdict = yield* readVerdict(store, name)
    return { ...unfinished, state: verdict?.holds ? ("holds" as const) : ("does_not_hold" as const), verdict }
  })

/** All that are there, the newest first. Reads the verdict on each. */
export const listBackups = Effect.gen(function* () {
  const store = yield* ExportStore
  const byName = new Map<string, Array<string>>()
  for (const file of yield* store.list(FOLDER)) {
    const name = FILE.exec(file)?.[1]
    if (name === undefined) continue
    const files = byName.get(name) ?? []
    files.push(file)
    byName.set(name, files)
  }
  const names = [...byName.keys()].sort((one, other) => numberOf(other) - numberOf(one))
  return yield* Effect.forEach(names, (name) => stored(store, name, byName.get(name) ?? []))
})

/** The manifest of a backup that is finished, and the hash of its text. */
export const readManifest = Effect.fnUntraced(function* (name: string) {
  const store = yield* ExportStore
  const broken = (finding: string) => new BackupBroken({ name, finding })
  const bytes = yield* readSmall(store, beside(name, "manifest")).pipe(
    Effect.catchTag("ExportFileMissing", () => Effect.fail(broken("it has no manifest, so it is unfinished")))
  )
  const text = bytes.toString("utf8")
  const version = Option.getOrUndefined(decodeVersion(text))
  if (version !== undefined && version.format > FORMAT)
    return yield* new BackupTooNew({ name, cairn: version.cairn })
  const manifest = Option.getOrUndefined(decodeManifest(text))
  if (manifest === undefined) return yield* broken("its manifest cannot be read")
  const hash = sha256(bytes)
  const known = (yield* readVerdict(store, name))?.manifest_sha256
  if (known !== undefined && known !== hash)
    return yield* broken("its manifest is not the one that was verified")
  return { manifest, hash }
})

/** Says that a backup has begun, before anything of it is written. */
export const writeBegun = (name: string, now: Micros.Micros) =>
  Effect.flatMap(ExportStore, (store) =>
    writeJson(store, beside(name, "begun"), { begun_at: Micros.formatSeconds(now) })
  )

/** Finishes a backup; returns the hash of its manifest. */
export const writeManifest = (name: string, manifest: Manifest) =>
  Effect.flatMap(ExportStore, (store) => writeJson(store, beside(name, "manifest"), manifest))

/** Records what a verification has found. */
export const writeVerdict = (name: string, verdict: Verdict) =>
  Effect.flatMap(ExportStore, (store) => writeJson(store, beside(name, "verdict"), verdict))

/**
 * Removes a backup: the manifest first and what says that it was begun last, so that the rest is found
 * wherever this ends.
 */
export const removeBackup = Effect.fnUntraced(function* (name: string) {
  const { remove } = yield* ExportStore
  const files = Object.values(storedFiles(name))
  for (const file of [beside(name, "manifest"), beside(name, "verdict"), ...files, beside(name, "begun")])
    yield* remove(file)
})
