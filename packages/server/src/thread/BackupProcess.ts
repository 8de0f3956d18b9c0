/**
 * The process that the delivery thread starts for a backup: copies, uploads, restores and verifies at a lower
 * priority, with a memory of its own. It ends when who asked for the backup does.
 */
import { setPriority } from "node:os"
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Schema } from "effect"
import { makeBackup } from "../backup/BackupMaking.ts"
import { type BackupAnswer, BackupRequest } from "../backup/BackupRequest.ts"
import { errorText } from "../command/ErrorText.ts"
import { layerExportStore } from "../layers/ExportStore.ts"
import { layerLogging } from "../layers/Logging.ts"

/** Steps of niceness (setpriority(2)): about a third of the share of a process that serves. */
const NICENESS = 5

/** The first line of standard input. */
const request = Effect.callback<string>((resume) => {
  let text = ""
  process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk
    if (text.includes("\n")) resume(Effect.succeed(text))
  })
})

/** Standard input ends with the process at its other end. */
const left = Effect.callback<never>((resume) => {
  process.stdin.on("end", () => resume(Effect.interrupt))
})

const answer = Effect.gen(function* () {
  const asked = yield* Effect.flatMap(
    request,
    Schema.decodeUnknownEffect(Schema.fromJsonString(BackupRequest))
  )
  return yield* makeBackup(asked, asked.backup, asked.backup.everySeconds).pipe(
    Effect.map((made): BackupAnswer => (made === null ? { outcome: "not_due" } : { outcome: "made", made })),
    Effect.catchTag("BackupUnderWay", () => Effect.succeed<BackupAnswer>({ outcome: "not_due" })),
    Effect.provide([layerExportStore(asked.backup.store), layerLogging(asked.logLevel)])
  )
}).pipe(
  Effect.catch((error) => Effect.succeed<BackupAnswer>({ outcome: "failed", reason: errorText(error) }))
)

try {
  setPriority(NICENESS)
} catch {
  // Not everywhere is that allowed; the backup is the same.
}

Effect.raceFirst(answer, left).pipe(
  Effect.flatMap((said) =>
    Effect.sync(() => {
      process.stdout.write(`${JSON.stringify(said)}\n`)
      process.stdin.destroy()
    })
  ),
  NodeRuntime.runMain({ disableErrorReporting: false })
)
