/** Overwriting the unused bytes of files of SQLite, in a process of its own. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"

// The source runs as it is where Node strips types, and from `dist` where it is installed.
const entry = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./ScrubProcess.ts" : "./ScrubProcess.js", import.meta.url)
)

/**
 * Runs `overwriteUnused` on one file after the other, and fails with what the process wrote of its failure.
 * Not in this process, where it would have to open a file beside SQLite: whenever that descriptor is closed,
 * if only because a worker thread ends, all locks that the process has on the file are gone, and with them
 * the database (https://www.sqlite.org/howtocorrupt.html, section 2.2).
 */
export const scrubFiles = (filenames: ReadonlyArray<string>): Effect.Effect<void, Error> =>
  Effect.callback<void, Error>((resume) => {
    const args = ["--disable-warning=ExperimentalWarning", entry, ...filenames]
    const child = execFile(process.execPath, args, (error, _, stderr) => {
      resume(error === null ? Effect.void : Effect.fail(new Error(stderr.trim() || error.message)))
    })
    // It may end at any moment: what it has not overwritten is there the next time.
    return Effect.sync(() => child.kill())
  })
