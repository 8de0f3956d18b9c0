/** Sends what waits in a queue, batch after batch, until it is closed. */
import { backoff, letGo, pause, type Retry } from "./Backoff.ts"
import { CairnError, EventRefusedError } from "./Errors.ts"
import type { PendingEvents } from "./PendingEvents.ts"
import type { Outcome, PreparedEvent } from "./Prepared.ts"
import type { Report } from "./Report.ts"
import type { Sender } from "./Sender.ts"

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
  /** Hears of refusals, retries and failures of the queue. Must not throw. */
  readonly report: (error: CairnError, report: Report) => void
  /** Hears what became of events, before they leave the queue. Must not throw. */
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

/** After so many failures in a row, a batch is divided to find the event that they may be due to. */
const FAILURES_OF_A_BATCH = 3

/** One drain reads one queue, one batch at a time. It starts with the first {@link Drain.notify}. */
export class Drain {
  readonly #options: DrainOptions
  readonly #end = new AbortController()
  readonly #flushes = new Set<() => void>()
  #running: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Ends a wait for the next try. */
  #wake = new AbortController()
  #failures = 0
  #isClosing = false
  /** Whether it waits to look at an empty queue again. */
  #isPolling = false

  constructor(options: DrainOptions) {
    this.#options = options
  }

  /** Says that events wait. A full batch is sent at once, a smaller one after `delayMillis`. */
  notify(): void {
    if (this.#end.signal.aborted) return
    if (this.#isPolling) this.#wake.abort()
    if (this.#running !== undefined) return
    if (this.#options.events.size() >= this.#count) {
      this.start()
    } else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.start(), this.#options.batch?.delayMillis ?? 50)
      letGo(this.#timer)
    }
  }

  /** Sends what waits now. Resolves once nothing does, or `signal` is aborted; the sending goes on then. */
  async flush(signal: AbortSignal): Promise<void> {
    if (this.#end.signal.aborted) return
    this.start()
    if (this.#isPolling) this.#wake.abort()
    await new Promise<void>((resolve) => {
      const end = () => {
        this.#flushes.delete(end)
        signal.removeEventListener("abort", end)
        resolve()
      }
      if (signal.aborted) return resolve()
      this.#flushes.add(end)
      signal.addEventListener("abort", end)
    })
  }

  /** Tries what waits, without long waits, for at most as long as `signal` allows, and ends. */
  async close(signal: AbortSignal): Promise<void> {
    this.#isClosing = true
    this.#wake.abort()
    await this.flush(signal)
    this.#end.abort(new CairnError("the client was closed"))
    clearTimeout(this.#timer)
    await this.#running
    await this.#options.events.close()
  }

  get #count(): number {
    return this.#options.batch?.count ?? 100
  }

  /** Sends what waits without waiting for more. */
  start(): void {
    if (this.#end.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      // A flush or an event that came while the loop ended has nobody else.
      if (this.#flushes.size > 0) this.start()
      else if (this.#options.events.size() > 0) this.notify()
    })
  }

  async #run(): Promise<void> {
    const { signal } = this.#end
    while (!signal.aborted) {
      // One that comes while the queue is being looked at waits for the next look.
      const flushes = [...this.#flushes]
      const isEmpty = await this.#once().catch((error: unknown) => this.#retryLater(error, [], "queue"))
      if (!isEmpty) continue
      for (const end of flushes) end()
      if (this.#flushes.size > 0) continue
      if (this.#options.pollMillis === undefined) return
      this.#isPolling = true
      await this.#pause(this.#options.pollMillis)
      this.#isPolling = false
    }
  }

  /** Takes a batch, sends it, and settles it. Whether there was nothing to take. */
  async #once(): Promise<boolean> {
    const { events, sender, batch, settled } = this.#options
    const taken = await events.take({ count: this.#count, bytes: batch?.bytes ?? 4 * 1024 * 1024 })
    if (taken.length === 0) return true
    let outcomes: ReadonlyArray<Outcome> = []
    let failure: unknown
    try {
      const { requestMillis = 10_000 } = this.#options
      const sent = await sender.send(taken, {
        timeoutMillis: requestMillis,
        signal: this.#end.signal,
        divides: this.#failures >= FAILURES_OF_A_BATCH
      })
      outcomes = sent.outcomes
      failure = sent.error
    } catch (error) {
      failure = error
    }
    const known = new Set(outcomes.map(({ key }) => key))
    const rest = taken.filter(({ key }) => !known.has(key))
    try {
      if (outcomes.length > 0) {
        await events.settle(outcomes)
        settled?.(outcomes)
        this.#tell(taken, outcomes)
      }
    } finally {
      if (rest.length > 0) await events.release(rest)
    }
    if (outcomes.length > 0) this.#failures = 0
    return failure === undefined ? false : this.#retryLater(failure, rest, "retry")
  }

  #tell(taken: ReadonlyArray<PreparedEvent>, outcomes: ReadonlyArray<Outcome>): void {
    const tell = (
      kind: "refused" | "fields",
      about: ReadonlyArray<Outcome>,
      error: (of: Outcome) => CairnError
    ) => {
      for (const outcome of about) {
        const events = taken.filter(({ key }) => key === outcome.key)
        this.#options.report(error(outcome), { kind, events, outcomes: [outcome] })
      }
    }
    tell(
      "refused",
      outcomes.filter(({ status }) => status === "refused"),
      (of) => new EventRefusedError(of.status === "refused" ? of.refusal : { error: "", message: "" })
    )
    const lessened = outcomes.filter((of) => of.status !== "refused" && (of.dropped_fields ?? of.warnings))
    tell("fields", lessened, (of) => {
      const left = of.status === "refused" ? [] : (of.dropped_fields ?? of.warnings ?? [])
      return new CairnError(`the service does not know and left out: ${left.join(", ")}`)
    })
  }

  async #retryLater(
    error: unknown,
    events: ReadonlyArray<PreparedEvent>,
    kind: "retry" | "queue"
  ): Promise<false> {
    if (this.#end.signal.aborted) return false
    this.#failures++
    const known = error instanceof CairnError ? error : new CairnError(String(error), { cause: error })
    this.#options.report(known, { kind, events, outcomes: [] })
    await this.#pause(backoff(this.#failures, error, this.#options.retry))
    return false
  }

  async #pause(millis: number): Promise<void> {
    if (this.#end.signal.aborted) return
    this.#wake = new AbortController()
    const end = () => this.#wake.abort()
    this.#end.signal.addEventListener("abort", end)
    const longest = this.#isClosing ? CLOSING_MILLIS : Number.POSITIVE_INFINITY
    await pause(Math.min(millis, longest), this.#wake.signal, true)
    this.#end.signal.removeEventListener("abort", end)
  }
}
