/** A copy of the database, of either kind, in SQLite's form: so it can be verified and opened anywhere. */
import { statSync } from "node:fs"
import { Micros } from "@cairn/core/encoding"
import { copyTables } from "@cairn/storage-sql"
import { backupLock, backupTo, copyTarget, describeCopy, pathsOf } from "@cairn/storage-sqlite"
import { Effect } from "effect"
import { byKind, type Database, nameOf } from "../settings/Database.ts"
import { checkSpace } from "./BackupSpace.ts"

/** The adapter, loaded only where it is used. */
export const postgres = Effect.promise(() => import("@cairn/storage-postgres"))

/** Takes the lock on making a backup until the scope ends; false if another process has it. */
export const lockDatabase = (database: Database) =>
  byKind(database, {
    sqlite: ({ filename }) => backupLock(filename),
    postgres: ({ url }) => Effect.flatMap(postgres, (adapter) => adapter.backupLock(url, nameOf(database)))
  })

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Bytes of a database's files, with what is only in their write-ahead logs. */
const databaseBytes = (filename: string): number =>
  Object.values(pathsOf(filename)).reduce((sum, path) => sum + sizeOf(path) + sizeOf(`${path}-wal`), 0)

/** Every table in one snapshot, each row read again and compared. */
const copyPostgres = (url: string, name: string, folder: string, target: string) =>
  Effect.gen(function* () {
    const { source, bytes } = yield* Effect.flatMap(postgres, ({ backupSource }) => backupSource(url, name))
    yield* checkSpace(folder, bytes)
    const copy = yield* copyTarget(target, false)
    yield* copyTables(source, copy, () => {})
  }).pipe(
    Effect.scoped,
    Effect.map(() => describeCopy(target))
  )

const copySqlite = Effect.fnUntraced(function* (filename: string, folder: string, target: string) {
  yield* checkSpace(folder, databaseBytes(filename))
  return yield* backupTo(filename, target, yield* Micros.now)
})

type Copied = ReturnType<typeof copySqlite> | ReturnType<typeof copyPostgres>

/** Copies the database to files while it is in use; fails if `folder`, where they lie, has no room. */
export const copyDatabase = (database: Database, folder: string, target: string) =>
  byKind<Copied>(database, {
    sqlite: ({ filename }) => copySqlite(filename, folder, target),
    postgres: ({ url }) => copyPostgres(url, nameOf(database), folder, target)
  })
