/** Keeps two processes from making a backup of one database at the same time. */
import { DatabaseSync } from "node:sqlite"
import { Effect, type Scope } from "effect"
import { isBusy } from "./SqliteClient.ts"

/** The file beside a database that is locked while a backup of it is made; it stays, and is empty. */
export const backupLockFile = (filename: string): string => `${filename.replace(/\.db$/, "")}-backup.lock`

/**
 * Takes the lock until the scope ends; false if another process has it. A process that ends in any way
 * releases it.
 */
export const backupLock = (filename: string): Effect.Effect<boolean, Error, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const db = new DatabaseSync(backupLockFile(filename), { timeout: 0 })
        try {
          db.exec("BEGIN EXCLUSIVE")
          return db
        } catch (error) {
          db.close()
          if (isBusy(error)) return undefined
          throw error
        }
      },
      catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause)))
    }),
    (db) => Effect.sync(() => db?.close())
  ).pipe(Effect.map((db) => db !== undefined))
