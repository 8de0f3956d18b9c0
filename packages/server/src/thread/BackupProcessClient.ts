/** Has a backup made by a process of its own. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect, Schema } from "effect"
import { BackupAnswer, type BackupRequest } from "../backup/BackupRequest.ts"

// The source runs directly where Node strips types, and from `dist` where it is installed.
const entry = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./BackupProcess.ts" : "./BackupProcess.js", import.meta.url)
)

/** Characters of an answer: names and findings, and far more. */
const MAX_ANSWER = 16 * 1024 * 1024

/** For what removes the half of a backup; a store may not answer, and the next one removes it too. */
const GRACE_MILLIS = 3_000

const decodeAnswer = Schema.decodeUnknownEffect(Schema.fromJsonString(BackupAnswer))

/** The process ended without an answer. */
class BackupProcessEnded extends Schema.TaggedError<BackupProcessEnded>()("BackupProcessEnded", {
  how: Schema.String
}) {
  override get message(): string {
    return `the process that makes backups ended with ${this.how}`
  }
}

const run = (request: BackupRequest): Effect.Effect<string, BackupProcessEnded> =>
  Effect.callback((resume) => {
    const conditions = import.meta.url.endsWith(".ts") ? ["--conditions=@cairn/source"] : []
    const args = [...conditions, "--disable-warning=ExperimentalWarning", entry]
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] })
    let answer = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (answer.length < MAX_ANSWER) answer += text
    })
    child.stderr.pipe(process.stderr, { end: false })
    // One that ended has said why.
    child.stdin.on("error", () => {})
    child.on("error", (error) => resume(Effect.fail(new BackupProcessEnded({ how: error.message }))))
    child.on("close", (code, signal) => {
      resume(
        code === 0
          ? Effect.succeed(answer)
          : Effect.fail(new BackupProcessEnded({ how: String(signal ?? code) }))
      )
    })
    // It stays open: the process ends with this one.
    child.stdin.write(`${JSON.stringify(request)}\n`)
    return Effect.promise(async () => {
      const ended = new Promise((resolve) => child.on("close", resolve))
      child.kill()
      const kill = setTimeout(() => child.kill("SIGKILL"), GRACE_MILLIS)
      await ended
      clearTimeout(kill)
    })
  })

/** Makes one if it is due, and says what became of it. Interrupted, it ends the process. */
export const runBackup = (request: BackupRequest): Effect.Effect<BackupAnswer> =>
  run(request).pipe(
    Effect.flatMap((text) => decodeAnswer(text)),
    Effect.catch((error) => Effect.succeed<BackupAnswer>({ outcome: "failed", reason: error.message }))
  )
