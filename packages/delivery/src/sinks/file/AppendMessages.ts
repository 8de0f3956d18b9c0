/** The requests to the process that writes files, and its responses; both are sent as structured clones. */

/** Append these lines to that file. */
export interface AppendRequest {
  readonly number: number
  readonly path: string
  readonly lines: string
}

/** The result of the request with that number. */
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
 * Serves requests until the parent process is gone. Then it kills itself, because a normal exit would wait
 * for threads that a file blocks. It ignores the signals of a terminal or a service manager: the parent
 * decides when it ends.
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
