/** Sends what waits before a process ends, where there is a process. */

/** The part of Node's `process` that this needs; other runtimes have it or have no `process`. */
interface ProcessLike {
  readonly pid: number
  readonly on: (event: string, listener: () => void) => unknown
  readonly prependListener: (event: string, listener: () => void) => unknown
  readonly off: (event: string, listener: () => void) => unknown
  readonly listenerCount: (event: string) => number
  readonly kill: (pid: number, signal: string) => unknown
}

/** What has to be done before the end. */
export interface ExitHook {
  /** Sends what waits, within a limit of its own. */
  readonly flush: () => Promise<unknown>
  /** How many events have come so far: after a flush, only more of them are a reason for another one. */
  readonly count: () => number
  /** The process ends, and its memory is lost: the last chance to report it. */
  readonly end?: () => void
}

/** All hooks of a process, those of other copies of this package included. */
interface Exit {
  readonly hooks: Map<ExitHook, number>
  readonly remove: () => void
}

/** Where they are, and the version of what is there. */
const EXIT = Symbol.for("@cairn/client/exit/1")
/** After this time a process that was asked to end does so, although events still come. */
const LIMIT_MILLIS = 10_000

type Global = { [EXIT]?: Exit | undefined; process: ProcessLike }

/** Flushes those to which events have come since their last flush. */
const flushNew = (hooks: Exit["hooks"]): ReadonlyArray<Promise<unknown>> =>
  [...hooks].flatMap(([hook, before]) => {
    const count = hook.count()
    if (count <= before) return []
    hooks.set(hook, count)
    return [hook.flush().catch(() => {})]
  })

const listen = (process: ProcessLike): Exit => {
  const hooks: Exit["hooks"] = new Map()
  let isEnding = false
  const say = () => {
    for (const { end } of hooks.keys()) end?.()
  }
  const end = () => {
    say()
    remove()
    process.kill(process.pid, "SIGTERM")
  }
  const atEnd = () => void flushNew(hooks)
  const atSignal = async () => {
    const isAlone = process.listenerCount("SIGTERM") === 1
    // A second signal means: do not wait.
    if (isEnding) return isAlone ? end() : undefined
    isEnding = true
    const until = performance.now() + LIMIT_MILLIS
    for (const hook of hooks.keys()) hooks.set(hook, -1)
    let flushes = flushNew(hooks)
    while (flushes.length > 0) {
      await Promise.all(flushes)
      flushes = performance.now() < until ? flushNew(hooks) : []
    }
    isEnding = false
    if (isAlone) end()
  }
  const onSignal = () => void atSignal()
  const remove = () => {
    process.off("beforeExit", atEnd)
    process.off("SIGTERM", onSignal)
    process.off("exit", say)
    ;(globalThis as unknown as Global)[EXIT] = undefined
  }
  // Before all others: a listener for one time is gone once it was called.
  process.prependListener("SIGTERM", onSignal)
  process.on("beforeExit", atEnd)
  process.on("exit", say)
  return { hooks, remove }
}

/**
 * Flushes before the process ends by itself, and on SIGTERM. A process that listens to SIGTERM itself ends
 * when it likes; one that does not ends by the signal once all hooks have been flushed, those of other
 * clients too. Returns what removes the hook.
 */
export const beforeExit = (hook: ExitHook): (() => void) => {
  const global = globalThis as unknown as Global
  try {
    global[EXIT] ??= listen(global.process)
  } catch {
    // None, or one for the look of it, as on the edge of Next, where each function throws.
    return () => {}
  }
  const { hooks, remove } = global[EXIT]
  hooks.set(hook, -1)
  return () => {
    hooks.delete(hook)
    if (hooks.size === 0) remove()
  }
}
