import { execFileSync } from "node:child_process"
import { constants, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { makeFileAppender } from "../../../src/sinks/file/FileAppender.ts"

/** Where a path that ends with `.stuck` holds whoever writes it. */
const entry = fileURLToPath(new URL("../../peers/StuckFiles.ts", import.meta.url))

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn-stuck-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const pipe = (path: string): string => {
  execFileSync("mkfifo", [path])
  return path
}

const until = (done: () => boolean) => Effect.sleep(5).pipe(Effect.repeat({ until: done }))

describe("appending to files", () => {
  it.live(
    "goes on, here as elsewhere, beside more files that are stuck than a process can hold",
    () =>
      Effect.gen(function* () {
        const own = yield* folder
        const { append } = yield* makeFileAppender({ timeout: 1_000, entry })
        const stuck = Array.from({ length: 80 }, (_, index) => join(own, `${index}.stuck`))
        execFileSync("mkfifo", stuck)
        const well = join(own, "well")
        // Twice, so that the second time meets those of the first.
        for (const round of ["first", "second"]) {
          const trying = yield* Effect.forkChild(
            Effect.forEach(stuck, (path) => Effect.flip(append(path, `${round}\n`)), {
              concurrency: "unbounded"
            })
          )
          yield* Effect.promise(() => readFile("/etc/hosts"))
          for (const { reason } of yield* Fiber.join(trying))
            assert.include(
              [
                "the file is blocked: not written within 1000 ms",
                "the file cannot be written: the process that writes files ended"
              ],
              reason
            )
          yield* Effect.eventually(append(well, `${round}\n`))
        }
        assert.deepStrictEqual(
          [...new Set(readFileSync(well, "utf8").trimEnd().split("\n"))],
          ["first", "second"]
        )
      }).pipe(Effect.scoped),
    30_000
  )

  it.live(
    "begins a file's next lines only when those before them have ended, also when nobody waits for them",
    () =>
      Effect.gen(function* () {
        const own = yield* folder
        const { append } = yield* makeFileAppender({ timeout: 20_000, entry })
        const path = pipe(join(own, "audit.stuck"))
        const begun = join(own, "audit.begun")
        const first = yield* Effect.forkChild(append(path, "1\n"))
        yield* until(() => existsSync(begun))
        yield* Fiber.interrupt(first)
        const next = yield* Effect.forkChild(append(path, "2\n"), { startImmediately: true })
        // The process begins lines in the order in which they are sent: these are behind the next ones.
        yield* append(join(own, "other"), "3\n")
        assert.strictEqual(readFileSync(begun, "utf8"), "1\n")
        assert.isFalse(existsSync(join(own, "audit.written")))
        // The mount is back.
        openSync(path, constants.O_RDWR)
        yield* Fiber.join(next)
        assert.strictEqual(readFileSync(join(own, "audit.written"), "utf8"), "1\n2\n")
      }).pipe(Effect.scoped)
  )

  it.live("starts another process for the one that was killed", () =>
    Effect.gen(function* () {
      const own = yield* folder
      const path = join(own, "audit")
      const { append } = yield* makeFileAppender({ timeout: 20_000, entry })
      yield* append(path, "1\n")
      const stuck = yield* Effect.forkChild(Effect.flip(append(pipe(`${path}.stuck`), "1\n")))
      yield* until(() => existsSync(`${path}.begun`))
      for (const pid of execFileSync("pgrep", ["-P", String(process.pid), "-f", "StuckFiles"], {
        encoding: "utf8"
      })
        .trim()
        .split("\n"))
        process.kill(Number(pid), "SIGKILL")
      assert.include((yield* Fiber.join(stuck)).reason, "the process that writes files ended")
      yield* append(path, "2\n")
      assert.strictEqual(readFileSync(path, "utf8"), "1\n2\n")
    }).pipe(Effect.scoped)
  )
})
