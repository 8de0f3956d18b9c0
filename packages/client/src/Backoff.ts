/** How long to wait before something is tried again. */
import { type Deadline, later, Waits } from "./Deadline.ts"
import { CairnApiError } from "./Errors.ts"

/** The bounds of waiting, in milliseconds. */
export interface Retry {
  /** The longest first wait; each further one may be twice as long. 200 unless given. */
  readonly baseMillis?: number | undefined
  /** The longest wait, unless the service asks for a longer one: 30,000 unless given. */
  readonly maxMillis?: number | undefined
}

/** The longest wait that a service can ask for: an hour, so that a wrong date does not stop anything. */
const LONGEST = 3_600_000

/**
 * Milliseconds before the next try after `failures` failures in a row (1 after the first): at random between
 * half of the limit and the limit, which doubles, so that many clients do not come back at once. A
 * `Retry-After` is a lower limit.
 */
export const backoff = (failures: number, error: unknown, retry: Retry = {}): number => {
  const limit = Math.min(
    retry.maxMillis ?? 30_000,
    (retry.baseMillis ?? 200) * 2 ** Math.min(failures - 1, 30)
  )
  const asked = error instanceof CairnApiError ? (error.retryAfterMillis ?? 0) : 0
  const spread = limit * (0.5 + Math.random() / 2)
  return asked === 0 ? spread : Math.min(LONGEST, asked + spread / 10)
}

/** A wait that `signal` ends early, without an error. It keeps a process alive unless `isIdle`. */
export const pause = async (millis: number, signal: AbortSignal, isIdle = false): Promise<void> => {
  const ends = new Waits()
  const timer = later(() => {
    for (const end of ends) end()
  }, millis)
  if (isIdle) letGo(timer)
  await ends.wait(signal)
  clearTimeout(timer)
}

/**
 * Tries until a try succeeds, the time is over, or `mayRepeat` says no (it is asked only while there is
 * time); throws the last error.
 */
export const repeated = async <A>(
  deadline: Deadline,
  retry: Retry | undefined,
  mayRepeat: (error: unknown) => boolean,
  once: () => Promise<A>
): Promise<A> => {
  for (let failures = 1; ; failures++) {
    try {
      return await once()
    } catch (error) {
      const wait = backoff(failures, error, retry)
      if (wait >= deadline.left() || !mayRepeat(error)) throw error
      await pause(wait, deadline.signal)
    }
  }
}

/** Lets a process end although the timer waits, where timers can say so. */
export const letGo = (timer: unknown): void => {
  ;(timer as { unref?: () => void }).unref?.()
}
