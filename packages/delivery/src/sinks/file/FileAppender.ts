/**
 * Appends lines to files in a process of its own.
 *
 * A file on a hanging mount blocks the thread that writes it until the mount is back, and nothing in the
 * process can free that thread. A process has only a few such threads, which names, keys and exports need
 * too. So files are written in a process with more of them, which can be killed.
 */
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { SinkFailed } from "@cairn/core/outbound"
import { Effect, type Scope } from "effect"
import { sinkFailed } from "../SinkFailure.ts"
import type { AppendAnswer, AppendRequest } from "./AppendMessages.ts"

/** Appends lines to files. */
export interface FileAppender {
  /**
   * Succeeds once the lines are on the disk. Interrupting it does not undo the write: the next lines for that
   * file wait until these are written or lost.
   */
  readonly append: (path: string, lines: string) => Effect.Effect<void, SinkFailed>
}

/** How files are appended to. */
interface FileAppenderOptions {
  /** Milliseconds that an append may take, the wait for the one before it included. */
  readonly timeout: number
  /** The module that the process runs; this package's own unless set. */
  readonly entry?: string
}

/** Files that the process can write at once. */
const THREADS = 64
/** Most overdue appends of one process, and most characters in them; beyond it, the process is replaced. */
const MOST_OVERDUE = 32
const MOST_OVERDUE_TEXT = 64_000_000

// Node runs the source itself in the repository, and `dist` where the package is installed.
const ENTRY = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./FileProcess.ts" : "./FileProcess.js", import.meta.url)
)

const ENDED = "the process that writes files ended"

/** An append that has begun. */
interface Begun {
  readonly path: string
  readonly size: number
  /** With the code of the error, or null. Never rejects. */
  readonly answered: Promise<string | null>
  readonly answer: (error: string | null) => void
  overdue: boolean
}

/** One process and its pending appends. */
class FileProcess {
  readonly #child: ChildProcess
  readonly #inHand = new Map<number, Begun>()
  #number = 0
  /** Whether it takes requests. */
  open = true
  /**
   * Whether the process still exists: one that is killed while a file blocks it ends when the file is free.
   */
  there = true

  constructor(entry: string) {
    this.#child = fork(entry, [], {
      execArgv: ["--disable-warning=ExperimentalWarning"],
      env: { ...process.env, UV_THREADPOOL_SIZE: String(THREADS) },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced"
    })
    this.#child.on("message", ({ number, error }: AppendAnswer) => {
      this.#inHand.get(number)?.answer(error)
      this.#inHand.delete(number)
    })
    this.#child.on("error", () => this.end())
    this.#child.on("exit", () => {
      this.there = false
      this.end()
    })
    this.#child.unref()
    this.#child.channel?.unref()
  }

  /** Whether files block so much of it that it must be replaced. */
  get held(): boolean {
    const overdue = [...this.#inHand.values()].filter((one) => one.overdue)
    const text = overdue.reduce((sum, { size }) => sum + size, 0)
    return overdue.length >= MOST_OVERDUE || text >= MOST_OVERDUE_TEXT
  }

  begin(path: string, lines: string): Begun {
    const number = this.#number++
    let answer: Begun["answer"] = () => {}
    const answered = new Promise<string | null>((resolve) => {
      answer = resolve
    })
    const begun: Begun = { path, size: lines.length, answered, answer, overdue: false }
    this.#inHand.set(number, begun)
    const request: AppendRequest = { number, path, lines }
    this.#child.send(request, (error) => {
      if (error !== null) this.end()
    })
    return begun
  }

  /** Kills it; its pending appends fail. */
  end(): void {
    this.open = false
    this.#child.kill("SIGKILL")
    for (const { answer } of this.#inHand.values()) answer(ENDED)
    this.#inHand.clear()
  }
}

/** Makes an appender; its process is started by the first append and ends with the scope. */
export const makeFileAppender = ({
  timeout,
  entry = ENTRY
}: FileAppenderOptions): Effect.Effect<FileAppender, never, Scope.Scope> =>
  Effect.gen(function* () {
    let current: FileProcess | undefined
    let earlier: FileProcess | undefined
    /** By path. */
    const underWay = new Map<string, Begun>()
    yield* Effect.addFinalizer(() => Effect.sync(() => current?.end()))

    /** The process to write with; undefined if files block it and its predecessor has not ended yet. */
    const running = (): FileProcess | undefined => {
      if (current?.open === true) {
        if (!current.held) return current
        if (earlier?.there === true) return undefined
        current.end()
        earlier = current
      }
      current = new FileProcess(entry)
      return current
    }

    const write = Effect.fnUntraced(function* (path: string, lines: string) {
      for (let before = underWay.get(path); before !== undefined; before = underWay.get(path)) {
        const { answered } = before
        yield* Effect.promise(() => answered)
      }
      const files = running()
      if (files === undefined) return yield* sinkFailed("too many files are blocked")
      const begun = files.begin(path, lines)
      underWay.set(path, begun)
      const ended = begun.answered.then((error) => {
        if (underWay.get(path) === begun) underWay.delete(path)
        return error
      })
      const error = yield* Effect.onInterrupt(
        Effect.promise(() => ended),
        () =>
          Effect.sync(() => {
            begun.overdue = true
          })
      )
      if (error !== null) return yield* sinkFailed(`the file cannot be written: ${error}`)
    })

    return {
      append: (path, lines) =>
        Effect.timeoutOrElse(write(path, lines), {
          duration: timeout,
          orElse: () => Effect.fail(sinkFailed(`the file is blocked: not written within ${timeout} ms`))
        })
    }
  })
