/** Limits of a call's time. */
import { CairnTimeoutError } from "./Errors.ts"

/** The longest time that a timer can be set for: 24 days. */
export const LONGEST_MILLIS = 2 ** 31 - 1

/** A timer; longer times than a timer can be set for are that time. */
export const later = (run: () => void, millis: number): ReturnType<typeof setTimeout> =>
  setTimeout(run, Math.min(millis, LONGEST_MILLIS))

const outOfTime = (millis: number): CairnTimeoutError =>
  new CairnTimeoutError(`not done within ${Math.ceil(millis)} ms`)

/**
 * The promise, or the error of the time limit, or the reason of the caller's signal. A late promise goes on.
 * It has no signal of its own, because a signal would cost more than the rest of a call.
 */
export const within = <A>(promise: Promise<A>, millis: number, caller: AbortSignal | undefined): Promise<A> =>
  new Promise((resolve, reject) => {
    const abort = () => end(() => reject(caller?.reason))
    const timer = later(() => end(() => reject(outOfTime(millis))), millis)
    const end = (settle: () => void) => {
      clearTimeout(timer)
      caller?.removeEventListener("abort", abort)
      settle()
    }
    promise.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error))
    )
    caller?.addEventListener("abort", abort)
    if (caller?.aborted) abort()
  })

/** Callbacks, each of which ends somebody's wait. */
export class Waits extends Set<() => void> {
  /** Waits until its callback is called, or `signal` is aborted. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.delete(end)
        signal.removeEventListener("abort", end)
        resolve()
      }
      this.add(end)
      signal.addEventListener("abort", end)
      if (signal.aborted) end()
    })
  }
}

/** The end of a call's time. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #timer: ReturnType<typeof setTimeout>
  readonly #at: number
  readonly #caller: AbortSignal | undefined
  readonly #abort: () => void

  constructor(millis: number, caller: AbortSignal | undefined) {
    this.#at = performance.now() + millis
    this.#caller = caller
    this.#abort = () => this.#controller.abort(caller?.reason)
    this.#timer = later(() => this.#controller.abort(outOfTime(millis)), millis)
    if (caller?.aborted) this.#abort()
    else caller?.addEventListener("abort", this.#abort)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Milliseconds until then. */
  left(): number {
    return Math.max(0, this.#at - performance.now())
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#caller?.removeEventListener("abort", this.#abort)
  }
}
