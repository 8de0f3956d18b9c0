/** What the process that writes files is asked, and what it answers; both cross as structured clone. */

/** Append these lines to that file. */
export interface AppendRequest {
  readonly number: number
  readonly path: string
  readonly lines: string
}

/** What came of the request of that number. */
export interface AppendAnswer {
  readonly number: number
  /** The code of the error; null when the lines are on the disk. */
  readonly error: string | null
}

/** Writes lines durably, or rejects. */
export type Append = (path: string, lines: string) => Promise<void>

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "unknown cause"

/**
 * Answers requests until whoever asks is gone. It is killed then, because an ordinary end would wait for the threads that a file holds; and it
 * is not for the signals of a terminal or a service manager to end it before those who ask.
 */
export const serveAppends = (append: Append): void => {
  process.on("message", ({ number, path, lines }: AppendRequest) => {
    const answer = (error: string | null): void => {
      const said: AppendAnswer = { number, error }
      if (process.connected) process.send?.(said)
    }
    append(path, lines).then(
      () => answer(null),
      (cause: unknown) => answer(codeOf(cause))
    )
  })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {})
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"))
}
