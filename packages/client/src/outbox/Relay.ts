import type { Retry } from "../Backoff.ts"
import { Deadline, within } from "../Deadline.ts"
import { type Batching, Drain } from "../Drain.ts"
import { beforeExit } from "../ExitHooks.ts"
import { Http, type Service } from "../Http.ts"
import type { PendingEvents } from "../PendingEvents.ts"
import { consoleReports, harmless, type OnError } from "../Report.ts"
import { Sender } from "../Sender.ts"

/** What a relay is started with. */
export interface RelayOptions extends Service {
  /** Hears of refusals, retries, and failures of the database; a line on the console unless given. */
  readonly onError?: OnError | undefined
  /** In how many milliseconds an empty outbox is looked at again: 1,000. */
  readonly pollMillis?: number | undefined
  /**
   * How many milliseconds other relays leave alone what this one is sending: 60,000, at most an hour. A relay
   * that is killed leaves its events, at most a batch, for so long.
   */
  readonly leaseMillis?: number | undefined
  /** Most milliseconds that it waits for the database: 30,000. */
  readonly statementMillis?: number | undefined
  /** Most milliseconds of a request: 10,000, at most a quarter of the lease, which outlasts it. */
  readonly requestMillis?: number | undefined
  readonly batch?: Batching | undefined
  readonly retry?: Retry | undefined
  /** Whether SIGTERM closes it, where there is a process: it does. */
  readonly handleExit?: boolean | undefined
}

/** What a relay has done since it was started. */
export interface RelayCounters {
  /** Events that the service has newly recorded. */
  readonly queued: number
  /** Events that it had already: sent by a relay that could not remove them any more. */
  readonly duplicates: number
  /** Events that it refused, and that are in the table of refused events. */
  readonly refused: number
  /** Requests that were to be repeated. */
  readonly retries: number
}

/** The longest time that a timer can be set for. */
const LONG_MILLIS = 2 ** 31 - 1
/** How long a close takes at most, unless said otherwise; SIGTERM waits no longer for one in progress. */
const CLOSE_MILLIS = 2000
/** The part of a close's time in which it sends; the rest is for giving back its claims. */
const SENDING = 0.75

/** Sends what an outbox holds, oldest first, until it is closed. It keeps its process running. */
export class Relay {
  readonly #drain: Drain
  readonly #counts = { queued: 0, duplicates: 0, refused: 0, retries: 0 }
  readonly #alive: ReturnType<typeof setInterval>
  readonly #unhook: () => void
  #closed: Promise<void> | undefined

  /** An outbox makes it: `outbox.relay(…)`. */
  constructor(events: PendingEvents, options: RelayOptions) {
    const onError = harmless(options.onError ?? consoleReports())
    this.#drain = new Drain({
      events,
      sender: new Sender(new Http(options)),
      batch: options.batch,
      retry: options.retry,
      requestMillis: options.requestMillis,
      pollMillis: options.pollMillis ?? 1000,
      settled: (outcomes) => {
        for (const { status } of outcomes) this.#counts[status === "duplicate" ? "duplicates" : status]++
      },
      report: (error, report) => {
        if (report.kind === "retry") this.#counts.retries++
        onError(error, report)
      }
    })
    this.#alive = setInterval(() => {}, LONG_MILLIS)
    const flush = () => within(this.close(), CLOSE_MILLIS, undefined)
    this.#unhook = options.handleExit === false ? () => {} : beforeExit({ flush, count: () => 0 })
    this.#drain.notify()
  }

  /** What it has done so far. */
  get counters(): RelayCounters {
    return { ...this.#counts }
  }

  /** Says that a transaction was committed, so that its events are sent now and not at the next look. */
  notify(): void {
    this.#drain.notify()
  }

  /** Sends what waits now. Resolves once the outbox was empty, or after 10 seconds unless said otherwise. */
  async flush(options: { readonly timeoutMillis?: number | undefined } = {}): Promise<void> {
    const limit = new Deadline(options.timeoutMillis ?? 10_000, undefined)
    await this.#drain.flush(limit.signal)
    limit.end()
  }

  /**
   * Ends within 2 seconds, unless said otherwise: for most of that it sends what waits, then it gives back
   * its claims. What waits stays in the outbox. Resolves by then also where the database or the service does
   * not answer; its claims then end by themselves.
   */
  close(options: { readonly timeoutMillis?: number | undefined } = {}): Promise<void> {
    this.#closed ??= this.#close(options.timeoutMillis ?? CLOSE_MILLIS)
    return this.#closed
  }

  async #close(timeoutMillis: number): Promise<void> {
    const sending = new Deadline(timeoutMillis * SENDING, undefined)
    try {
      await within(this.#drain.close(sending.signal), timeoutMillis, undefined)
    } catch {
      // The database is away: the claims end by themselves.
    } finally {
      sending.end()
      clearInterval(this.#alive)
      this.#unhook()
    }
  }
}
