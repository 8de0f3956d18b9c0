/** When backups are made, and where they lie: `CAIRN_BACKUP_*`, read. */
import { dirname, join } from "node:path"
import { Effect, Schema } from "effect"
import { byKind, type Database } from "./Database.ts"
import { ExportStoreSettings, readExportStore } from "./ExportSettings.ts"
import { type Environment, readSetting, type Setting } from "./SettingDeclaration.ts"
import { readBy, wholeNumber } from "./TextSchemas.ts"

/** Crosses to the delivery thread as structured clone, and to the process that makes one as JSON. */
export const BackupSettings = Schema.Struct({
  /** Where they lie. May hold a secret: never to be shown. */
  store: ExportStoreSettings,
  /** Seconds from one to the next; 0 makes none on a schedule. */
  everySeconds: Schema.Number,
  /** How many that hold are kept. */
  keep: Schema.Number,
  /** Where files lie while one is made or verified. */
  folder: Schema.String
})
export type BackupSettings = typeof BackupSettings.Type

/** Part of all settings, under the same names. */
export const BACKUP_SETTINGS = {
  backupStore: {
    name: "CAIRN_BACKUP_STORE",
    mayHoldSecret: true,
    schema: readBy(Schema.NullOr(ExportStoreSettings), (text) => readExportStore(text)?.settings),
    allowed: "the path of a folder, or s3://KEY:SECRET@BUCKET/PREFIX?region=REGION&endpoint=URL",
    fallback: "",
    meaning:
      "Where backups go: the path of a folder, or an `s3://` URL; without it, no backup is made on a schedule",
    details:
      "See [Operations.md](Operations.md#backups). Each database needs one of its own. The `s3://` URL is " +
      "written as for exports"
  },
  backupEvery: {
    name: "CAIRN_BACKUP_EVERY_SECONDS",
    ...wholeNumber(0, 31_536_000),
    fallback: "86400",
    meaning: "Seconds from one backup that holds to the next; `0` for none but those of `cairn backup`"
  },
  backupKeep: {
    name: "CAIRN_BACKUP_KEEP",
    ...wholeNumber(1, 10_000),
    fallback: "7",
    meaning: "How many backups that were verified and hold are kept; older ones are removed"
  },
  backupFolder: {
    name: "CAIRN_BACKUP_FOLDER",
    schema: Schema.String,
    allowed: "the path of a folder",
    fallback: "",
    otherwise: "where the database is",
    meaning: "Folder for the files of a backup while it is made and verified, which needs their size once",
    details: "`./data` for PostgreSQL"
  }
} satisfies Record<string, Setting<unknown>>

/** The folder where none is set. */
export const defaultFolder = (database: Database): string =>
  byKind(database, { sqlite: ({ filename }) => dirname(filename), postgres: () => join(".", "data") })

/** Reads them; null without a store. */
export const readBackup = Effect.fnUntraced(function* (environment: Environment, database: Database) {
  const store = yield* readSetting(environment, BACKUP_SETTINGS.backupStore)
  const folder = yield* readSetting(environment, BACKUP_SETTINGS.backupFolder)
  const settings = {
    everySeconds: yield* readSetting(environment, BACKUP_SETTINGS.backupEvery),
    keep: yield* readSetting(environment, BACKUP_SETTINGS.backupKeep),
    folder: folder === "" ? defaultFolder(database) : folder
  }
  const backup: BackupSettings | null = store === null ? null : { store, ...settings }
  return backup
})
