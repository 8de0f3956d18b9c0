/** Checking the files of a database, in a separate process. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { StorageUnavailable } from "@cairn/core/log"
import { StoreCheck, StoreFindings } from "@cairn/core/verification"
import { Effect, Layer, Schema } from "effect"

// The source runs directly where Node strips types, and from `dist` where it is installed.
const entry = fileURLToPath(
  new URL(
    import.meta.url.endsWith(".ts") ? "./StoreCheckProcess.ts" : "./StoreCheckProcess.js",
    import.meta.url
  )
)

/** Bytes of a result: a hundred damages of a line each, and far more. */
const MAX_RESULT = 16 * 1024 * 1024

const decodeFindings = Schema.decodeUnknownEffect(Schema.fromJsonString(StoreFindings))

/** What the process writes. It ends when the one who waits for it is interrupted. */
const run = (filename: string): Effect.Effect<string, Error> =>
  Effect.callback((resume) => {
    const conditions = import.meta.url.endsWith(".ts") ? ["--conditions=@cairn/source"] : []
    const args = [...conditions, "--disable-warning=ExperimentalWarning", entry, filename]
    const child = execFile(process.execPath, args, { maxBuffer: MAX_RESULT }, (error, stdout, stderr) => {
      resume(
        error === null
          ? Effect.succeed(stdout)
          : Effect.fail(new Error(stderr.trim().split("\n").at(-1) || error.message))
      )
    })
    return Effect.sync(() => child.kill())
  })

/**
 * The check of the database whose log is in a file. In a process of its own, because SQLite reads the whole
 * file in one call, and a turn of this one would last as long.
 */
export const layer = ({ filename }: { readonly filename: string }) =>
  Layer.succeed(
    StoreCheck,
    StoreCheck.of({
      check: run(filename).pipe(
        Effect.flatMap(decodeFindings),
        Effect.mapError((cause) => new StorageUnavailable({ operation: "check the store", cause }))
      )
    })
  )
