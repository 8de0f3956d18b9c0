/**
 * Points at which a process of a trial kills itself. The process is told one by its arguments, and the how
 * manieth time; the doors through which it works call {@link KillPoints.reach}.
 */

/** Where a process ends, and at the how manieth time it comes there. */
export interface KillPoint {
  readonly name: string
  readonly nth: number
}

export class KillPoints {
  readonly #at: KillPoint | undefined
  #reached = 0

  constructor(at: KillPoint | undefined) {
    this.#at = at
  }

  /** Ends the process here, by the signal that nothing can catch, where it is to end here. */
  reach(name: string): void {
    if (this.#at?.name !== name) return
    if (!this.isNext(name)) {
      this.#reached++
      return
    }
    process.kill(process.pid, "SIGKILL")
    // Nothing more is done while the signal is on its way.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }

  /** Whether the process will end when it comes there the next time. */
  isNext(name: string): boolean {
    return this.#at?.name === name && this.#reached + 1 >= this.#at.nth
  }

  /** A point in the middle of what has just been begun: some milliseconds later. */
  reachSoon(name: string, millis: number): void {
    if (this.isNext(name)) setTimeout(() => this.reach(name), millis)
    else this.reach(name)
  }

  /** Runs work with a point before and one after it. */
  async around<A>(name: string, work: () => Promise<A>): Promise<A> {
    this.reach(`${name} before`)
    const result = await work()
    this.reach(`${name} after`)
    return result
  }
}

/**
 * `fetch` with the points `send before`, `send within` (the request is on its way) and `answer after`, and a
 * limit of a second, so that a request that hangs does not last as long as the trial.
 */
export const fetchThrough =
  (points: KillPoints): typeof fetch =>
  async (input, init) => {
    points.reach("send before")
    const signals = [AbortSignal.timeout(1000), ...(init?.signal ? [init.signal] : [])]
    const sent = fetch(input, { ...init, signal: AbortSignal.any(signals) })
    points.reachSoon("send within", 2)
    const answer = await sent
    points.reach("answer after")
    return answer
  }
