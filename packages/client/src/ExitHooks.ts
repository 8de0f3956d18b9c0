/** Sends what waits before a process ends, where there is a process. */

/** What of Node's `process` this needs; other runtimes have it or have none. */
interface ProcessLike {
  readonly pid: number
  readonly on: (event: string, listener: () => void) => unknown
  readonly off: (event: string, listener: () => void) => unknown
  readonly listenerCount: (event: string) => number
  readonly kill: (pid: number, signal: string) => unknown
}

const processOf = (): ProcessLike | undefined => {
  const { process } = globalThis as { process?: Partial<ProcessLike> }
  return typeof process?.on === "function" && typeof process.off === "function" && process.listenerCount
    ? (process as ProcessLike)
    : undefined
}

/**
 * Calls `flush` once before the process ends by itself, and on SIGTERM. A process that listens to SIGTERM
 * itself ends when it likes; one that does not ends by the signal once `flush` has resolved. Returns what
 * removes both.
 */
export const beforeExit = (flush: () => Promise<unknown>): (() => void) => {
  const process = processOf()
  if (process === undefined) return () => {}
  const remove = () => {
    process.off("beforeExit", atEnd)
    process.off("SIGTERM", atSignal)
  }
  const atEnd = () => {
    process.off("beforeExit", atEnd)
    void flush().catch(() => {})
  }
  const atSignal = () => {
    const isAlone = process.listenerCount("SIGTERM") === 1
    remove()
    void flush()
      .catch(() => {})
      .then(() => isAlone && process.kill(process.pid, "SIGTERM"))
  }
  process.on("beforeExit", atEnd)
  process.on("SIGTERM", atSignal)
  return remove
}
