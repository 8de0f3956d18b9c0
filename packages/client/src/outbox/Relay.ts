import type { Retry } from "../Backoff.ts"
import { type Batching, Drain } from "../Drain.ts"
import { beforeExit } from "../ExitHooks.ts"
import { Http, type Service } from "../Http.ts"
import type { PendingEvents } from "../PendingEvents.ts"
import { consoleReports, type OnError } from "../Report.ts"
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
  /** Most milliseconds of a request: 10,000. */
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

/** Sends what an outbox holds, oldest first, until it is closed. It keeps its process running. */
export class Relay {
  readonly #drain: Drain
  readonly #counts = { queued: 0, duplicates: 0, refused: 0, retries: 0 }
  readonly #alive: ReturnType<typeof setInterval>
  readonly #unhook: () => void
  #closed: Promise<void> | undefined

  /** An outbox makes it: `outbox.relay(…)`. */
  constructor(events: PendingEvents, options: RelayOptions) {
    const onError = options.onError ?? consoleReports()
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
        try {
          onError(error, report)
        } catch {
          // An application's report must not stop its events.
        }
      }
    })
    this.#alive = setInterval(() => {}, LONG_MILLIS)
    this.#unhook = options.handleExit === false ? () => {} : beforeExit(() => this.close())
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
    await within(options.timeoutMillis, (signal) => this.#drain.flush(signal))
  }

  /**
   * Ends: stops what it is sending after 2 seconds, unless said otherwise, and gives back its claims. What
   * waits stays in the outbox. Resolves also where the database is away; its claims then end by themselves.
   */
  close(options: { readonly timeoutMillis?: number | undefined } = {}): Promise<void> {
    this.#closed ??= this.#close(options.timeoutMillis ?? 2000)
    return this.#closed
  }

  async #close(timeoutMillis: number): Promise<void> {
    this.#unhook()
    try {
      await within(timeoutMillis, (signal) => this.#drain.close(signal))
    } catch {
      // The database is away: the claims end by themselves.
    } finally {
      clearInterval(this.#alive)
    }
  }
}

const within = async (
  millis: number | undefined,
  task: (signal: AbortSignal) => Promise<void>
): Promise<void> => {
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(), millis ?? 10_000)
  try {
    await task(end.signal)
  } finally {
    clearTimeout(timer)
  }
}
