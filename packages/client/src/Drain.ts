/** Sends what waits in a queue, batch after batch, until it is closed. */
import { backoff, pause, type Retry } from "./Backoff.ts"
import { Waits } from "./Deadline.ts"
import { CairnApiError, CairnError, CairnTimeoutError, ClosedError, EventRefusedError } from "./Errors.ts"
import type { PendingEvents } from "./PendingEvents.ts"
import type { Outcome, PreparedEvent } from "./Prepared.ts"
import type { Report } from "./Report.ts"
import { mayBeOne, type Sender, type Sent } from "./Sender.ts"
import { SetAside } from "./SetAside.ts"

/** How events are put together. */
export interface Batching {
  /** Most events of a request: 100, which is the most that the service takes. */
  readonly count?: number | undefined
  /** Most bytes of a request: 4 MiB; the service takes 8. */
  readonly bytes?: number | undefined
  /** Most milliseconds that an event waits for others: 50. */
  readonly delayMillis?: number | undefined
}

/** What a drain works with. */
export interface DrainOptions {
  readonly events: PendingEvents
  readonly sender: Sender
  /** Called for refusals, retries and failures of the queue. Must not throw. */
  readonly report: (error: CairnError, report: Report) => void
  /** Gets the outcomes of events, before these leave the queue. Must not throw. */
  readonly settled?: (outcomes: ReadonlyArray<Outcome>) => void
  readonly batch?: Batching | undefined
  readonly retry?: Retry | undefined
  /** Most milliseconds of a request: 10,000. */
  readonly requestMillis?: number | undefined
  /** For a queue that others fill too: in how many milliseconds it is looked at again when it was empty. */
  readonly pollMillis?: number | undefined
}

/** The longest wait before the next try while a drain is being closed. */
const CLOSING_MILLIS = 250

/**
 * After this number of failures in a row, fewer events are sent at a time, to find one that may cause them.
 * If a request was not answered in time, one failure is enough.
 */
const FAILURES_OF_A_BATCH = 3
/** Into how many parts a batch with such an event is divided. */
const PARTS = 4
/** The most that a live request or timer can end too late. */
const MARGIN_MILLIS = 2000
/** A round of several requests ends after this number of times the longest time of one. */
const REQUESTS_OF_A_ROUND = 3

/** One drain reads one queue, one batch at a time. It starts with the first {@link Drain.notify}. */
export class Drain {
  readonly #options: DrainOptions
  readonly #end = new AbortController()
  readonly #flushes = new Waits()
  #running: Promise<void> | undefined
  /** Ends a wait for the next try. */
  #wake = new AbortController()
  #failures = 0
  /** During a search for an event that does not get through: how many events are sent at a time. */
  #part: number | undefined
  /** The number of the oldest events among which it is. */
  #suspects = 0
  /** Whether any of them got through since it is searched for. */
  #isMixed = false
  readonly #aside: SetAside
  /** Whether it is the service that said how long to wait. */
  #isTold = false
  /** How many runs were given up, and what the running one has taken. */
  #runs = 0
  #taken: ReadonlyArray<PreparedEvent> = []
  /** When what the run waits for can only be dead. */
  #until = Number.POSITIVE_INFINITY
  /** How many wait for the end, so that no wait is long. */
  #hurries = 0
  /**
   * Whether it was notified since it last looked. An event may wait for one with its key that is set aside.
   */
  #isNews = false
  /** Whether it waits for a batch to be full, or to look at an empty queue again. */
  #state: "collecting" | "polling" | undefined

  constructor(options: DrainOptions) {
    this.#options = options
    this.#aside = new SetAside({
      retry: options.retry,
      send: (event) => this.#send([event]),
      wake: () => this.start(),
      report: (error, event) => options.report(error, { kind: "retry", events: [event], outcomes: [] }),
      longestMillis: () => this.#longest
    })
  }

  /** Says that events wait. A full batch is sent at once, a smaller one after `delayMillis`. */
  notify(): void {
    this.#begin(this.#options.batch?.delayMillis ?? 50)
    const isFull = this.#state === "collecting" && this.#waiting >= this.#count
    if (isFull || this.#state === "polling") this.#wake.abort()
  }

  /**
   * Sends the events that wait now. Resolves once only events wait that do not get through, and each of these
   * was tried once more. Also resolves once `signal` is aborted; the sending then goes on.
   */
  async flush(signal: AbortSignal): Promise<void> {
    if (this.#end.signal.aborted || signal.aborted) return
    this.#aside.ask()
    this.start()
    if (!this.#isTold) this.#wake.abort()
    await this.#flushes.wait(signal)
  }

  /** Sends what waits, as {@link Drain.flush}, without long waits between its tries: the process ends. */
  async hurry(signal: AbortSignal): Promise<void> {
    this.#hurries++
    this.#wake.abort()
    await this.flush(signal)
    this.#hurries--
  }

  /** Tries what waits, without long waits, for at most as long as `signal` allows, and ends. */
  async close(signal: AbortSignal): Promise<void> {
    await this.hurry(signal)
    this.#end.abort(new ClosedError("the client is closed"))
    await this.#running
    await this.#options.events.close()
  }

  get #count(): number {
    return this.#options.batch?.count ?? 100
  }

  /** How many wait that are not set aside. */
  get #waiting(): number {
    return this.#options.events.size() - this.#aside.size
  }

  get #longest(): number {
    return this.#hurries > 0 ? CLOSING_MILLIS : Number.POSITIVE_INFINITY
  }

  /** Sends what waits without waiting for more. */
  start(): void {
    this.#begin(0)
    if (this.#state !== undefined) this.#wake.abort()
  }

  #begin(delayMillis: number): void {
    if (this.#end.signal.aborted) return
    this.#isNews = true
    this.#abandonDead()
    const run = this.#runs
    this.#running ??= this.#run(run, delayMillis).finally(() => {
      if (run !== this.#runs) return
      this.#running = undefined
      // A flush, an event or a failed try that came while the loop ended has nobody else.
      if (this.#flushes.size > 0 || this.#aside.outcomes.length > 0) this.start()
      else if (this.#isNews) this.notify()
    })
  }

  /**
   * When a request of an edge runtime ends, the runtime cancels its timers and requests, so that these never
   * end. A run that waits for one is given up, and another run sends its events.
   */
  #abandonDead(): void {
    if (performance.now() <= this.#until) return
    this.#until = Number.POSITIVE_INFINITY
    this.#runs++
    this.#running = undefined
    this.#state = undefined
    void this.#options.events.release(this.#taken)
  }

  async #run(run: number, delayMillis: number): Promise<void> {
    const { signal } = this.#end
    await this.#idle("collecting", delayMillis)
    while (!signal.aborted && run === this.#runs) {
      // One that comes while the queue is being looked at waits for the next look.
      const flushes = [...this.#flushes]
      const isEmpty = await this.#once(run).catch((error: unknown) => this.#retryLater(error, [], "queue"))
      if (isEmpty || this.#failures === 0) this.#aside.next()
      if (!isEmpty || this.#aside.outcomes.length > 0) continue
      const isDone = !this.#aside.isAsked
      if (isDone) for (const end of flushes) end()
      if (isDone && this.#flushes.size > 0) continue
      const millis = this.#flushes.size > 0 ? 30_000 : this.#options.pollMillis
      if (millis === undefined) return
      await this.#idle("polling", millis)
    }
  }

  async #idle(state: "collecting" | "polling", millis: number): Promise<void> {
    this.#state = state
    await this.#pause(millis)
    this.#state = undefined
  }

  /** Takes a batch, sends it, and settles it. Whether there was nothing to take. */
  async #once(run: number): Promise<boolean> {
    const { events, batch } = this.#options
    await this.#settleAside()
    const limit = { count: this.#part ?? this.#count, bytes: batch?.bytes ?? 4 * 1024 * 1024 }
    this.#isNews = false
    const taken = await events.take(limit)
    if (taken.length === 0) return true
    this.#taken = taken
    let sent: Sent
    try {
      sent = await this.#send(taken, true)
    } catch (error) {
      await events.release(taken)
      return this.#retryLater(error, taken, "retry")
    }
    if (run !== this.#runs) return false
    this.#until = Number.POSITIVE_INFINITY
    const { outcomes, error } = sent
    const known = new Set(outcomes.map(({ key }) => key))
    const rest = taken.filter(({ key }) => !known.has(key))
    const released = this.#search(taken.length, rest, sent)
    try {
      if (outcomes.length > 0) await this.#settle(taken, outcomes)
    } finally {
      if (released.length > 0) await events.release(released)
    }
    if (outcomes.length > 0) {
      this.#failures = 0
      this.#aside.confirm()
    }
    return error === undefined ? false : this.#retryLater(error, rest, "retry")
  }

  #send(events: ReadonlyArray<PreparedEvent>, isRound = false): Promise<Sent> {
    const { signal } = this.#end
    const { sender, requestMillis: timeoutMillis = 10_000 } = this.#options
    const until = performance.now() + timeoutMillis * REQUESTS_OF_A_ROUND
    if (isRound) this.#until = until + MARGIN_MILLIS
    return sender.send(events, { timeoutMillis, signal, until })
  }

  async #settle(events: ReadonlyArray<PreparedEvent>, outcomes: ReadonlyArray<Outcome>): Promise<void> {
    await this.#options.events.settle(outcomes)
    this.#options.settled?.(outcomes)
    this.#tell(events, outcomes)
  }

  async #settleAside(): Promise<void> {
    const { outcomes, events } = this.#aside
    if (outcomes.length === 0) return
    await this.#settle(events, outcomes)
    this.#aside.remove()
  }

  /**
   * Looks for an event that does not get through: fewer events are sent at a time, until it fails alone or
   * beside others that get through. It is set aside. Gives those of `rest` that go back into the queue.
   */
  #search(
    count: number,
    rest: ReadonlyArray<PreparedEvent>,
    { error, failing }: Sent
  ): ReadonlyArray<PreparedEvent> {
    if (error === undefined) {
      this.#suspects -= count
      this.#isMixed = true
      if (this.#suspects <= 0) this.#part = undefined
    }
    if (failing.length > 0) return this.#setAside(rest, failing, true)
    if (error === undefined || !mayBeOne(error)) return rest
    this.#isMixed &&= this.#part !== undefined
    const isLong = this.#failures + 1 >= FAILURES_OF_A_BATCH || error instanceof CairnTimeoutError
    if (!isLong && this.#part === undefined && this.#aside.size === 0) return rest
    if (count === 1) {
      this.#part = undefined
      return this.#setAside(rest, rest, this.#isMixed)
    }
    this.#suspects = count
    this.#part = Math.ceil(count / PARTS)
    return rest
  }

  #setAside(
    rest: ReadonlyArray<PreparedEvent>,
    events: ReadonlyArray<PreparedEvent>,
    isMixed: boolean
  ): ReadonlyArray<PreparedEvent> {
    const state = { isMixed, isAsked: this.#flushes.size > 0 }
    return rest.filter((event) => !(events.includes(event) && this.#aside.add(event, state)))
  }

  #tell(taken: ReadonlyArray<PreparedEvent>, outcomes: ReadonlyArray<Outcome>): void {
    for (const outcome of outcomes) {
      const { key } = outcome
      let kind: "refused" | "fields" = "refused"
      let error: CairnError
      if (outcome.status === "refused") error = new EventRefusedError(outcome.refusal)
      else {
        const left = outcome.dropped_fields ?? outcome.warnings
        if (left === undefined) continue
        kind = "fields"
        error = new CairnError(`the service does not know and left out: ${left.join(", ")}`)
      }
      this.#options.report(error, { kind, events: taken.filter((of) => of.key === key), outcomes: [outcome] })
    }
  }

  async #retryLater(
    error: unknown,
    events: ReadonlyArray<PreparedEvent>,
    kind: "retry" | "queue"
  ): Promise<false> {
    if (this.#end.signal.aborted) return false
    this.#failures++
    const known = error instanceof CairnError ? error : new CairnError(String(error), { cause: error })
    this.#isTold = error instanceof CairnApiError && (error.retryAfterMillis ?? 0) > 0
    this.#options.report(known, { kind, events, outcomes: [] })
    await this.#pause(backoff(this.#failures, error, this.#options.retry))
    return false
  }

  async #pause(millis: number): Promise<void> {
    if (this.#end.signal.aborted) return
    this.#wake = new AbortController()
    const end = () => this.#wake.abort()
    this.#end.signal.addEventListener("abort", end)
    const longest = Math.min(millis, this.#longest)
    this.#until = performance.now() + longest + MARGIN_MILLIS
    await pause(longest, this.#wake.signal, true)
    this.#until = Number.POSITIVE_INFINITY
    this.#end.signal.removeEventListener("abort", end)
  }
}
