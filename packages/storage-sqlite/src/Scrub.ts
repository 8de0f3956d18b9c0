/** Overwriting the unused bytes of SQLite files, in a separate process. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"

// The source runs directly where Node strips types, and from `dist` where it is installed.
const entry = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./ScrubProcess.ts" : "./ScrubProcess.js", import.meta.url)
)

/**
 * Runs `overwriteUnused` on one file after the other. Fails with the error output of the process. It must be
 * a separate process, because this one would open the file beside SQLite: when that descriptor is closed,
 * even if only because a worker thread ends, all locks that the process has on the file are released, and the
 * database can be damaged (https://www.sqlite.org/howtocorrupt.html, section 2.2).
 */
export const scrubFiles = (filenames: ReadonlyArray<string>): Effect.Effect<void, Error> =>
  Effect.callback<void, Error>((resume) => {
    const args = ["--disable-warning=ExperimentalWarning", entry, ...filenames]
    const child = execFile(process.execPath, args, (error, _, stderr) => {
      resume(error === null ? Effect.void : Effect.fail(new Error(stderr.trim() || error.message)))
    })
    // It may end at any time: what it has not overwritten is still there the next time.
    return Effect.sync(() => child.kill())
  })
