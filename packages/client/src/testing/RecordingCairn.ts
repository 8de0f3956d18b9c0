import { type CairnError, ClosedError, EventRefusedError } from "../Errors.ts"
import type { Enqueued, EnqueueOptions, EventSink, Failure, Recorded, RecordOptions } from "../EventSink.ts"
import { harmlessContext, type Preparation, prepareEvent } from "../Prepare.ts"
import { makeRedactor, type SecretPath } from "../Redaction.ts"
import { consoleReports } from "../Report.ts"
import type { EventInput } from "../Types.ts"
import { checkExpected, differences, type Expected } from "./Matching.ts"

/** An event as it would be sent: with its key, its time and its context, without its secrets. */
export type RecordedEvent = EventInput & {
  readonly idempotency_key: string
  readonly occurred_at: string
}

/** What a recorder is made with: the options of a client that shape its events and its answers. */
export interface RecordingOptions {
  readonly context?: (() => Partial<EventInput> | undefined) | undefined
  readonly redact?: ReadonlyArray<SecretPath> | undefined
  /**
   * Whether a call that is made to fail throws: with `closed`, the default, it does. A call can override it.
   */
  readonly failure?: Failure | undefined
}

const oneLine = (event: RecordedEvent): string => {
  const { idempotency_key, occurred_at, ...said } = event
  return JSON.stringify(said)
}

/** An assertion of a recorder that did not hold. */
export class RecordingAssertionError extends Error {
  override readonly name = "AssertionError"
}

/**
 * Stands in the place of a client in an application's own unit tests: it keeps what it is given, sends
 * nothing, and says whether an event was recorded.
 *
 * @example
 * const cairn = new RecordingCairn()
 * await payInvoice(cairn, "42")
 * cairn.assertRecorded({ action: "invoice.paid", resource_id: "42" })
 */
export class RecordingCairn implements EventSink {
  readonly #preparation: Preparation
  readonly #failure: Failure
  readonly #events: Array<RecordedEvent> = []
  readonly #failures: Array<CairnError> = []
  #isClosed = false

  constructor({ context, redact, failure = "closed" }: RecordingOptions = {}) {
    this.#failure = failure
    const report = consoleReports()
    this.#preparation = {
      context: harmlessContext(context, (error) =>
        report(error, { kind: "fields", events: [], outcomes: [] })
      ),
      redact: redact && makeRedactor(redact)
    }
  }

  /** The events so far, in the order in which they came, by `record` and by `enqueue`. */
  get events(): ReadonlyArray<RecordedEvent> {
    return [...this.#events]
  }

  /** Whether the application has closed it. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  record(event: EventInput, options: RecordOptions = {}): Promise<Recorded> {
    return this.#take(event, options, (key, isNew) => ({
      status: isNew ? "queued" : "duplicate",
      key,
      id: key
    }))
  }

  enqueue(event: EventInput, options: EnqueueOptions = {}): Promise<Enqueued> {
    return this.#take(event, options, (key) => ({ status: "kept", key }))
  }

  async flush(): Promise<{ readonly waiting: number }> {
    return { waiting: 0 }
  }

  async close(): Promise<{ readonly waiting: number }> {
    this.#isClosed = true
    return { waiting: 0 }
  }

  /**
   * Lets the next calls fail, one for each error, as they would if the service was away: a call that fails
   * open resolves with `deferred`, another one throws. Its event is not kept.
   */
  failNext(...errors: ReadonlyArray<CairnError>): void {
    this.#failures.push(...errors)
  }

  /** Forgets the events so far, and the failures that were set. */
  clear(): void {
    this.#events.length = 0
    this.#failures.length = 0
  }

  /**
   * The events that are as expected. Members that are not named may be anything; a value may be a pattern, or
   * a function that says whether it will do.
   */
  find(expected: Expected): ReadonlyArray<RecordedEvent> {
    checkExpected(expected)
    return this.#events.filter((event) => differences(expected, event).length === 0)
  }

  /**
   * Asserts that an event was recorded, and gives it; with `times`, that so many were.
   *
   * @throws RecordingAssertionError that shows the event which comes nearest, and where it differs.
   */
  assertRecorded(expected: Expected, { times }: { readonly times?: number } = {}): RecordedEvent {
    if (times !== undefined && (!Number.isSafeInteger(times) || times < 1)) {
      throw new TypeError("times must be a whole number from 1 on; for none there is assertNothingRecorded")
    }
    const found = this.find(expected)
    const [first] = found
    if (first === undefined || (times !== undefined && found.length !== times)) {
      throw new RecordingAssertionError(this.explain(expected, times))
    }
    return first
  }

  /** Asserts that no event was recorded; with an expectation, none that is as expected. */
  assertNothingRecorded(expected: Expected = {}): void {
    const found = this.find(expected)
    if (found.length > 0) {
      throw new RecordingAssertionError(
        [`${found.length} events were recorded:`, ...found.map((event) => `  ${oneLine(event)}`)].join("\n")
      )
    }
  }

  /** Why there are not as many events of a kind as expected, for a person. */
  explain(expected: Expected, times?: number): string {
    const found = this.find(expected)
    if (times !== undefined && found.length > 0) {
      return `${found.length} events were recorded as expected, and not ${times}`
    }
    if (this.#events.length === 0) return "no event was recorded"
    const nearest = this.#events
      .map((event) => ({ event, wrong: differences(expected, event) }))
      .reduce((best, one) => (one.wrong.length < best.wrong.length ? one : best))
    return [
      `none of ${this.#events.length} recorded events is as expected; the nearest is`,
      `  ${oneLine(nearest.event)}`,
      ...nearest.wrong.map(
        ({ path, expected: wanted, actual }) => `  ${path}: expected ${wanted}, was ${actual}`
      )
    ].join("\n")
  }

  async #take<A>(
    event: EventInput,
    options: RecordOptions,
    taken: (key: string, isNew: boolean) => A
  ): Promise<A | { readonly status: "deferred" | "dropped" | "refused"; readonly key: string }> {
    const isOpen = (options.failure ?? this.#failure) === "open"
    try {
      if (this.#isClosed) throw new ClosedError("the recorder is closed")
      const { key, json } = prepareEvent(event, this.#preparation)
      const failure = this.#failures.shift()
      if (failure !== undefined) {
        if (isOpen) return { status: "deferred", key }
        throw failure
      }
      const isNew = this.#events.every(({ idempotency_key }) => idempotency_key !== key)
      if (isNew) this.#events.push(JSON.parse(json))
      return taken(key, isNew)
    } catch (error) {
      if (isOpen && error instanceof EventRefusedError) return { status: "refused", key: "" }
      if (isOpen && error instanceof ClosedError) return { status: "dropped", key: "" }
      throw error
    }
  }
}
