/** Folders for files that are needed for a while, such as those of a backup that is being verified. */
import { mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { makeFolder } from "./DatabaseFolder.ts"
import { isInUse, ownerName, readUnfinished } from "./UnfinishedBackups.ts"

const errorOf = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)))

const MICROS_A_MILLI = 1_000

/** Removes what killed processes have left. */
const sweep = (folder: string, millis: number): void => {
  for (const name of readdirSync(folder)) {
    const left = readUnfinished(name, "scratch")
    const path = join(folder, name)
    if (left !== undefined && !isInUse([path], left.host, left.pid, millis))
      rmSync(path, { recursive: true, force: true })
  }
}

/**
 * Makes an empty folder within `folder`, which is removed with the scope; one of a killed process is, by the
 * next call. `now` is in microseconds.
 */
export const openScratch = (folder: string, now: number): Effect.Effect<string, Error, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        makeFolder(folder)
        sweep(folder, now / MICROS_A_MILLI)
        const path = join(folder, `.cairn.scratch-${ownerName()}`)
        mkdirSync(path, { mode: 0o700 })
        return path
      },
      catch: errorOf
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

/** How much may still be written to the file system of a folder. */
export const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
