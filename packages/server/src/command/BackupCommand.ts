/** `cairn backup` */
import { existsSync } from "node:fs"
import { setPriority } from "node:os"
import { Micros } from "@cairn/core/encoding"
import { backupTo, secretKeyFile } from "@cairn/storage-sqlite"
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { makeBackup, verifyAndRecord } from "../backup/BackupMaking.ts"
import { chosenBackup } from "../backup/ChosenBackup.ts"
import { listBackups, type StoredBackup } from "../backup/StoredBackups.ts"
import { layerExportStore } from "../layers/ExportStore.ts"
import type { BackupSettings } from "../settings/BackupSettings.ts"
import type { Configuration } from "../settings/Configuration.ts"
import { byKind } from "../settings/Database.ts"
import { CommandFailed } from "./Failure.ts"
import { configuration, json, print } from "./Shared.ts"

const MEBIBYTE = 1024 * 1024

/** What to do with the secret key, which no copy of the database holds. */
export const keyAdvice = (isVariable: boolean, filename: string): string => {
  const file = secretKeyFile(filename)
  return isVariable || existsSync(file)
    ? `The backup does not contain the secret key: keep ${isVariable ? "CAIRN_SECRET_KEY" : file} apart; a restored copy does not start without it`
    : `The backup does not contain the secret key, and ${file} is not there either: set CAIRN_SECRET_KEY, or put the file back and keep it apart; without it neither this database nor a restored copy starts once something is sealed`
}

/** The same of a database of either kind. */
export const secretKeyAdvice = ({ secretKeys, database }: Configuration): string =>
  byKind(database, {
    sqlite: ({ filename }) => keyAdvice(secretKeys.length > 0, filename),
    postgres: () =>
      "The backup does not contain the secret key: keep CAIRN_SECRET_KEY apart; a restored copy does not start without it"
  })

const PRIORITY = 5

/** Lets a server on the same machine go first. */
const stepBack = Effect.ignore(Effect.try(() => setPriority(PRIORITY)))

/** The settings of backups; fails without a store. */
export const backupSettings = ({ backup }: Configuration): Effect.Effect<BackupSettings, CommandFailed> =>
  backup === null
    ? Effect.fail(
        new CommandFailed({ message: "CAIRN_BACKUP_STORE is not set: it says where backups are stored" })
      )
    : Effect.succeed(backup)

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
        "backup FILE copies a SQLite database; for PostgreSQL set CAIRN_BACKUP_STORE and leave FILE out, or use continuous archiving, see docs/Operations.md"
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
  const settings = yield* configuration
  const backup = yield* backupSettings(settings)
  yield* stepBack
  const made = yield* makeBackup(settings, backup, null).pipe(Effect.provide(layerExportStore(backup.store)))
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

const verify = Command.make(
  "verify",
  {
    backup: Argument.String("backup").pipe(
      Argument.withDescription(
        "Name of the backup, as the list shows it; without one, the newest that holds"
      ),
      Argument.withDefault("latest")
    ),
    json
  },
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    const { store, folder } = yield* backupSettings(settings)
    yield* stepBack
    const { name, verdict } = yield* Effect.gen(function* () {
      const chosen = yield* chosenBackup(flags.backup)
      const begun = yield* Micros.now
      return {
        name: chosen.name,
        verdict: yield* verifyAndRecord(settings, folder, chosen.name, chosen, begun)
      }
    }).pipe(Effect.provide(layerExportStore(store)))
    const { events, seconds, findings } = verdict
    const text = `${name}: ${events} events, restored and verified in ${seconds} s`
    yield* print(flags.json, { name, ...verdict }, findings.length === 0 ? text : `${name} does not hold`)
    yield* refuseBroken(name, findings)
  })
).pipe(
  Command.withExamples([{ command: "cairn backup verify" }]),
  Command.withDescription(
    "Fetch a backup from CAIRN_BACKUP_STORE, restore it into a folder, verify it, and record what was found"
  )
)

const list = Command.make(
  "list",
  { json },
  Effect.fn(function* (flags) {
    const { store } = yield* Effect.flatMap(configuration, backupSettings)
    const all = yield* listBackups.pipe(Effect.provide(layerExportStore(store)))
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

/** `cairn backup [FILE]|list|verify` */
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
  Command.withSubcommands([list, verify])
)
