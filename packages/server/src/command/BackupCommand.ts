/** `cairn backup` */
import { existsSync } from "node:fs"
import { setPriority } from "node:os"
import { Micros } from "@cairn/core/encoding"
import { backupTo, secretKeyFile } from "@cairn/storage-sqlite"
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { makeBackup } from "../backup/BackupMaking.ts"
import { listBackups, type StoredBackup } from "../backup/StoredBackups.ts"
import { layerExportStore } from "../layers/ExportStore.ts"
import type { Configuration } from "../settings/Configuration.ts"
import { byKind } from "../settings/Database.ts"
import { CommandFailed } from "./Failure.ts"
import { configuration, json, print } from "./Shared.ts"

const MEBIBYTE = 1024 * 1024

/** What to do with the secret key, which no copy of the database holds. */
export const keyAdvice = (isVariable: boolean, filename: string): string => {
  const file = secretKeyFile(filename)
  return isVariable || existsSync(file)
    ? `The secret key is not in it: keep ${isVariable ? "CAIRN_SECRET_KEY" : file} apart; a restored copy does not start without it`
    : `The secret key is not in it, and ${file} is not there either: set CAIRN_SECRET_KEY, or put the file back and keep it apart; without it neither this database nor a restored copy starts once something is sealed`
}

/** The same of a database of either kind. */
const secretKeyAdvice = ({ secretKeys, database }: Configuration): string =>
  byKind(database, {
    sqlite: ({ filename }) => keyAdvice(secretKeys.length > 0, filename),
    postgres: () =>
      "The secret key is not in it: keep CAIRN_SECRET_KEY apart; a restored copy does not start without it"
  })

const PRIORITY = 5

/** Lets a server on the same machine go first. */
const stepBack = Effect.ignore(Effect.try(() => setPriority(PRIORITY)))

/** The settings of backups, which a command that is given no file needs. */
export const storeSettings = Effect.flatMap(configuration, (settings) =>
  settings.backup === null
    ? Effect.fail(
        new CommandFailed({ message: "CAIRN_BACKUP_STORE is not set, which says where backups lie" })
      )
    : Effect.succeed({ ...settings, backup: settings.backup })
)

/** One line on a backup in the store. */
const storedLine = ({ name, state, verdict }: StoredBackup, now: Micros.Micros): string => {
  if (verdict === null) return `${name}  ${state.replaceAll("_", " ")}`
  const hours = Math.max(0, (now - (Micros.parse(verdict.made_at) ?? now)) / (60 * Micros.MINUTE)).toFixed(1)
  const size = `${(verdict.bytes / MEBIBYTE).toFixed(1)} MiB`
  const found = verdict.holds ? "holds" : `does not hold: ${verdict.findings.join("; ")}`
  return `${name}  ${hours} h old  ${verdict.events} events  ${size}  ${found}`
}

/** `cairn backup FILE` */
const toFile = Effect.fnUntraced(function* (file: string, asJson: boolean) {
  const { database, secretKeys } = yield* configuration
  if (database.kind !== "sqlite") {
    return yield* new CommandFailed({
      message:
        "backup copies a SQLite database; for PostgreSQL use pg_dump or continuous archiving, see docs/Operations.md"
    })
  }
  const result = yield* backupTo(database.filename, file, yield* Micros.now)
  const { events, waiting, bytes } = result
  const text = `${file}: ${events} events, ${waiting} more waiting, ${(bytes / MEBIBYTE).toFixed(1)} MiB`
  const key = keyAdvice(secretKeys.length > 0, database.filename)
  yield* print(asJson, { ...result, secret_key: key }, `${text}\n${key}`)
})

const refuseBroken = (name: string, findings: ReadonlyArray<string>) =>
  findings.length === 0
    ? Effect.void
    : new CommandFailed({
        message: `the backup ${name} does not hold: ${findings.join("; ")}`,
        kind: "does_not_hold"
      })

/** `cairn backup` */
const toStore = Effect.fnUntraced(function* (asJson: boolean) {
  const settings = yield* storeSettings
  yield* stepBack
  const made = yield* makeBackup(settings, settings.backup, null).pipe(
    Effect.provide(layerExportStore(settings.backup.store))
  )
  if (made === null) return
  const { name, events, waiting, bytes, seconds, holds } = made
  const found = holds ? "restored and verified" : "restored and NOT verified"
  const key = secretKeyAdvice(settings)
  yield* print(
    asJson,
    { ...made, secret_key: key },
    `${name}: ${events} events, ${waiting} more waiting, ${(bytes / MEBIBYTE).toFixed(1)} MiB, ${found} in ${seconds} s\n${key}`
  )
  yield* refuseBroken(name, made.findings)
})

const list = Command.make(
  "list",
  { json },
  Effect.fn(function* (flags) {
    const { backup } = yield* storeSettings
    const all = yield* listBackups.pipe(Effect.provide(layerExportStore(backup.store)))
    const now = yield* Micros.now
    const lines = all.map((one) => storedLine(one, now))
    yield* print(
      flags.json,
      all.map(({ name, state, verdict }) => ({ name, state, ...verdict })),
      all.length === 0 ? "No backups" : lines.join("\n")
    )
  })
).pipe(
  Command.withExamples([{ command: "cairn backup list" }]),
  Command.withDescription(
    "List the backups in CAIRN_BACKUP_STORE, the newest first, and what was found of each"
  )
)

/** `cairn backup [FILE]|list` */
export const backupCommand = Command.make(
  "backup",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("File to write, which must not exist yet; without one, CAIRN_BACKUP_STORE"),
      Argument.optional
    ),
    json
  },
  Effect.fn(function* (flags) {
    yield* Option.match(flags.file, {
      onNone: () => toStore(flags.json),
      onSome: (file) => toFile(file, flags.json)
    })
  })
).pipe(
  Command.withExamples([
    { command: "cairn backup" },
    { command: "cairn backup /backups/2026-07-01/cairn.db" }
  ]),
  Command.withDescription(
    "Copy the database while it is in use: to CAIRN_BACKUP_STORE, from where it is fetched back, restored and verified, or a SQLite database to a file. cairn restore puts the copy back"
  ),
  Command.withSubcommands([list])
)
