/** The folders that the service writes to. */
import { existsSync, realpathSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { byKind } from "../settings/Database.ts"
import { SETTINGS } from "../settings/Settings.ts"
import type { Patient } from "./Patient.ts"

/** A folder. */
export interface Place {
  readonly folder: string
  /** What is in it, in words. */
  readonly holds: string
  /** The variable that names it. */
  readonly variable: string
}

/** The folder of the database's files; none on PostgreSQL. */
export const dataPlace = ({ settings: { database } }: Patient): Place | undefined =>
  byKind<Place | undefined>(database, {
    sqlite: ({ filename }) => ({
      folder: resolve(dirname(filename)),
      holds: "the database",
      variable: SETTINGS.database.name
    }),
    postgres: () => undefined
  })

/** All of them, each once. */
export const placesOf = (patient: Patient): ReadonlyArray<Place> => {
  const { exportStore, archiveStore, backup, outbound } = patient.settings
  const data = dataPlace(patient)
  const places: ReadonlyArray<Place> = [
    ...(data === undefined ? [] : [data]),
    ...(exportStore.kind === "folder"
      ? [{ folder: resolve(exportStore.path), holds: "exports", variable: SETTINGS.exportStore.name }]
      : []),
    ...(archiveStore?.kind === "folder"
      ? [{ folder: resolve(archiveStore.path), holds: "archives", variable: SETTINGS.archiveStore.name }]
      : []),
    ...(backup?.store.kind === "folder"
      ? [{ folder: resolve(backup.store.path), holds: "backups", variable: SETTINGS.backupStore.name }]
      : []),
    ...(backup === null
      ? []
      : [
          {
            folder: resolve(backup.folder),
            holds: "files of a backup that is made",
            variable: SETTINGS.backupFolder.name
          }
        ]),
    ...(outbound.streamFolder === null
      ? []
      : [
          {
            folder: resolve(outbound.streamFolder),
            holds: "files of log streams",
            variable: SETTINGS.streamFolder.name
          }
        ])
  ]
  return places.filter(({ folder }, at) => places.findIndex((other) => other.folder === folder) === at)
}

/** The folder itself, or the nearest above it that is there, without links. */
export const nearestFolder = (folder: string): string => {
  let at = resolve(folder)
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at)
  return realpathSync(at)
}

const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Whether a file is there that has nothing in it, nor in its write-ahead log. */
export const isEmptyFile = (path: string): boolean =>
  existsSync(path) && bytesOf(path) === 0 && bytesOf(`${path}-wal`) === 0
