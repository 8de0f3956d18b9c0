/** The folders that files of a database are in, made where they are missing. */
import { mkdirSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Effect, Schema } from "effect"

/** A folder is not there and cannot be made. */
export class FolderUnusable extends Schema.TaggedError<FolderUnusable>()("FolderUnusable", {
  folder: Schema.String,
  /** What the system says: `EACCES: permission denied, mkdir '/data'`. */
  reason: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `the folder ${this.folder} cannot be made: ${this.reason}`
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const make = (folder: string): void => {
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have made it in between.
    if (!isFolder(folder)) throw error
  }
}

/**
 * Makes a folder and those above it, and returns whether it was missing. Throws the system's error.
 *
 * One after the other: Node's own `recursive` never returns below a folder that takes no entries and says
 * `ENOENT` to that, such as `/proc`.
 */
export const makeFolder = (path: string): boolean => {
  const missing: Array<string> = []
  for (let at = resolve(path); !isFolder(at); at = dirname(at)) {
    missing.push(at)
    if (dirname(at) === at) break
  }
  for (const folder of missing.reverse()) make(folder)
  return missing.length > 0
}

/** Makes the folder of a file, readable as the process's umask has it; returns whether it was missing. */
export const makeFolderOf = (file: string): Effect.Effect<boolean, FolderUnusable> =>
  Effect.try({
    try: () => makeFolder(dirname(file)),
    catch: (error) =>
      new FolderUnusable({
        folder: dirname(file),
        reason: error instanceof Error ? error.message : String(error),
        cause: error
      })
  })
