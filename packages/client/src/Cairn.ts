import { repeated } from "./Backoff.ts"
import { type CairnOptions, type Counters, checkOptions, isQueue } from "./CairnOptions.ts"
import { Deadline, within } from "./Deadline.ts"
import { Drain } from "./Drain.ts"
import { type Endpoints, makeEndpoints } from "./Endpoints.ts"
import { CairnApiError, CairnError, ClosedError, EventRefusedError, QueueFullError } from "./Errors.ts"
import type { Enqueued, EnqueueOptions, EventSink, Recorded, RecordOptions } from "./EventSink.ts"
import { beforeExit } from "./ExitHooks.ts"
import { Http } from "./Http.ts"
import { memoryQueue } from "./MemoryQueue.ts"
import type { PendingEvents } from "./PendingEvents.ts"
import { harmlessContext, type Preparation, prepareEvent } from "./Prepare.ts"
import type { Outcome, PreparedEvent } from "./Prepared.ts"
import { makeRedactor } from "./Redaction.ts"
import { consoleReports, harmless, type OnError, type ReportKind } from "./Report.ts"
import { Sender } from "./Sender.ts"
import type { EventInput } from "./Types.ts"

/** Most milliseconds that a queue takes to keep an event that could not be recorded in time. */
const DEFER_MILLIS = 500

/** Whether repeating the request soon would give the same answer: a wrong key, a redirect. */
const isPointless = (error: unknown): boolean =>
  error instanceof CairnApiError && error.status < 500 && ![408, 425, 429].includes(error.status)

/** The queue has not said in time whether it has an event; the cause is what ended the call. */
class LateError extends CairnError {}

const lostAs = (error: unknown) => (error instanceof EventRefusedError ? "refused" : "dropped")

const isFinal = (error: unknown): boolean =>
  error instanceof EventRefusedError || error instanceof ClosedError

/**
 * A client of one workspace. Make one and keep it; {@link Cairn.close} it at the end.
 *
 * @example
 * const cairn = new Cairn({ url: "https://audit.example.com", apiKey })
 * await cairn.record({ actor_id: "ada", action: "invoice.paid", resource: "invoice", resource_id: "42" })
 */
export class Cairn implements EventSink {
  /** Reads events and their proofs. */
  declare readonly events: Endpoints["events"]
  /** Reads signed checkpoints of the log. */
  declare readonly checkpoints: Endpoints["checkpoints"]
  /** Reads and verifies anchors. */
  declare readonly anchors: Endpoints["anchors"]
  /** Makes and downloads exports. */
  declare readonly exports: Endpoints["exports"]
  /** Makes tokens for the viewer. */
  declare readonly viewerTokens: Endpoints["viewerTokens"]
  /** Reads and acknowledges alerts. */
  declare readonly alerts: Endpoints["alerts"]
  /** Manages alert rules. */
  declare readonly alertRules: Endpoints["alertRules"]
  /** Manages webhooks. */
  declare readonly webhooks: Endpoints["webhooks"]
  /** Reads what was delivered, and delivers it again. */
  declare readonly deliveries: Endpoints["deliveries"]
  /** Manages log streams. */
  declare readonly logStreams: Endpoints["logStreams"]
  /** Manages the members of the workspace. */
  declare readonly members: Endpoints["members"]
  /** Shows and ends the sessions of members. */
  declare readonly sessions: Endpoints["sessions"]
  /** Manages API keys. */
  declare readonly apiKeys: Endpoints["apiKeys"]
  /** The workspace's settings and usage. */
  declare readonly workspace: Endpoints["workspace"]
  /** Whether the service runs and can serve. */
  declare readonly health: Endpoints["health"]
  readonly #options: CairnOptions
  readonly #http: Http
  readonly #sender: Sender
  readonly #queue: PendingEvents
  readonly #isInMemory: boolean
  readonly #drain: Drain
  readonly #onError: OnError
  readonly #preparation: Preparation
  readonly #counts = { kept: 0, queued: 0, duplicates: 0, refused: 0, dropped: 0, deferred: 0, retries: 0 }
  #unhook: (() => void) | undefined
  #closed: Promise<{ readonly waiting: number }> | undefined

  /** @throws TypeError for an address or key that cannot be used. */
  constructor(options: CairnOptions) {
    for (const part of [options, options.batch, options.retry, options.queue, options.handleExit]) {
      if (typeof part === "object" && !isQueue(part)) checkOptions(part)
    }
    this.#options = options
    this.#http = new Http(options)
    this.#sender = new Sender(this.#http)
    const { queue } = options
    this.#isInMemory = !isQueue(queue)
    this.#queue = isQueue(queue) ? queue : memoryQueue(queue)
    this.#onError = harmless(options.onError ?? consoleReports())
    const { context, redact } = options
    this.#preparation = {
      context: harmlessContext(context, (error) => this.#report(error, "fields", [])),
      redact: redact && makeRedactor(redact)
    }
    this.#drain = new Drain({
      events: this.#queue,
      sender: this.#sender,
      batch: options.batch,
      retry: options.retry,
      settled: (outcomes) => this.#count(outcomes),
      report: (error, { kind, events, outcomes }) => {
        if (kind === "retry") this.#counts.retries++
        this.#report(error, kind, events, outcomes)
      }
    })
    Object.assign(this, makeEndpoints({ http: this.#http, retry: options.retry }))
    // What an earlier process left in a spool is sent without waiting for a first event.
    if (this.#queue.size() > 0) this.#wake()
    this.#queue.watch?.(() => this.#wake())
  }

  /** The outcomes of events so far. */
  get counters(): Counters {
    return { ...this.#counts, waiting: this.#queue.size() }
  }

  /**
   * Records an event: resolves once the service has it on disk. Retried with its key until the time limit, so
   * that it is recorded once however often it is sent.
   *
   * @throws EventRefusedError, CairnApiError, CairnConnectionError, CairnTimeoutError, unless `failure` is
   *   `open`; each has the event's `key`, with which a later try cannot double it.
   */
  async record(event: EventInput, options: RecordOptions = {}): Promise<Recorded> {
    checkOptions(options)
    const deadline = this.#deadline(options)
    const failsOpen = this.#failsOpen(options)
    let prepared: PreparedEvent | undefined
    try {
      prepared = this.#prepare(event)
      return await this.#recorded(prepared, deadline)
    } catch (error) {
      const known = this.#keyed(error, prepared)
      if (failsOpen && prepared !== undefined && !isFinal(error)) {
        return { status: await this.#defer(prepared, known), key: prepared.key }
      }
      const status = lostAs(error)
      if (failsOpen || status === "refused") this.#counts[status]++
      if (!failsOpen) throw known
      this.#report(known, status, prepared ? [prepared] : [])
      return { status, key: prepared?.key ?? "" }
    } finally {
      deadline.end()
    }
  }

  /**
   * Puts an event into the queue, from which it is sent in batches. Resolves once it is there: with a spool,
   * once it is on disk.
   *
   * @throws EventRefusedError, QueueFullError, CairnTimeoutError, or why the queue could not keep it, unless
   *   `failure` is `open`; each but the first has the event's `key`.
   */
  async enqueue(event: EventInput, options: EnqueueOptions = {}): Promise<Enqueued> {
    checkOptions(options)
    const failsOpen = this.#failsOpen(options)
    let prepared: PreparedEvent | undefined
    try {
      prepared = this.#prepare(event)
      await this.#kept(prepared, options)
      return { status: "kept", key: prepared.key }
    } catch (error) {
      const isLate = error instanceof LateError
      const known = this.#keyed(isLate ? error.cause : error, prepared)
      const status = isLate ? "deferred" : lostAs(error)
      if (status !== "deferred") this.#counts[status]++
      const isWanted =
        (options.whenFull ?? this.#options.whenFull) === "drop" && error instanceof QueueFullError
      if (!failsOpen && !isWanted) throw known
      this.#report(known, status, prepared ? [prepared] : [])
      return { status, key: prepared?.key ?? "" }
    }
  }

  /** Sends what waits now, for at most 10 seconds unless said otherwise. */
  async flush(
    options: { readonly timeoutMillis?: number | undefined; readonly signal?: AbortSignal | undefined } = {}
  ): Promise<{ readonly waiting: number }> {
    return this.#sent({ timeoutMillis: 10_000, ...options }, (signal) => this.#drain.flush(signal))
  }

  async #sent(options: RecordOptions, send: (signal: AbortSignal) => Promise<void>) {
    const deadline = this.#deadline(options)
    await send(deadline.signal)
    deadline.end()
    return { waiting: this.#queue.size() }
  }

  /**
   * Sends the events that wait, for at most 10 seconds (2 with a spool) unless said otherwise, and ends.
   * Events that still wait then stay in a spool for the next start. Events in memory are lost, which
   * `onError` and the counters report.
   */
  close(
    options: { readonly timeoutMillis?: number | undefined } = {}
  ): Promise<{ readonly waiting: number }> {
    this.#closed ??= this.#close(options)
    return this.#closed
  }

  async #close(options: {
    readonly timeoutMillis?: number | undefined
  }): Promise<{ readonly waiting: number }> {
    const { timeoutMillis = this.#endMillis } = options
    try {
      return await this.#sent({ timeoutMillis }, (signal) => this.#drain.close(signal))
    } finally {
      // Not before: a process that ends meanwhile waits for this, or says what is lost.
      this.#unhook?.()
      this.#lose()
    }
  }

  /** The process ends: what waits is sent. */
  async #leave(): Promise<void> {
    const { handleExit } = this.#options
    const timeoutMillis = typeof handleExit === "object" ? handleExit.timeoutMillis : this.#endMillis
    if (this.#closed !== undefined) await within(this.#closed, timeoutMillis, undefined)
    else await this.#sent({ timeoutMillis }, (signal) => this.#drain.hurry(signal))
  }

  /** How long an end takes at most: what is on disk is not worth waiting for. */
  get #endMillis(): number {
    return this.#isInMemory ? 10_000 : 2000
  }

  /** What is in memory is lost now. */
  #lose(): void {
    const waiting = this.#queue.size()
    if (waiting === 0 || !this.#isInMemory) return
    this.#counts.dropped += waiting
    const error = new ClosedError(`${waiting} events waited in memory when the client ended`)
    this.#report(error, "dropped", [])
  }

  #prepare(event: EventInput): PreparedEvent {
    if (this.#closed !== undefined) throw new ClosedError("the client is closed")
    return prepareEvent(event, this.#preparation)
  }

  #recorded(prepared: PreparedEvent, deadline: Deadline): Promise<Recorded> {
    const { signal } = deadline
    const mayRepeat = (error: unknown) => {
      const isAgain = !isFinal(error) && !isPointless(error)
      if (isAgain) this.#counts.retries++
      return isAgain
    }
    return repeated(deadline, this.#options.retry, mayRepeat, async () => {
      const { outcomes, error } = await this.#sender.send([prepared], { timeoutMillis: Infinity, signal })
      const [outcome] = outcomes
      if (outcome === undefined) throw error
      if (outcome.status === "refused") throw new EventRefusedError(outcome.refusal)
      this.#count(outcomes)
      return { status: outcome.status, key: prepared.key, id: outcome.id }
    })
  }

  async #defer(prepared: PreparedEvent, error: CairnError): Promise<"deferred" | "dropped"> {
    let status: "deferred" | "dropped" = "deferred"
    let known = error
    try {
      // The call's time is over: the queue has only a moment more.
      await this.#add(prepared, status, DEFER_MILLIS, undefined)
    } catch (cause) {
      if (!(cause instanceof LateError)) {
        status = "dropped"
        this.#counts.dropped++
        known = new CairnError(`${error.message}; the queue: ${String(cause)}`, { cause })
      }
    }
    this.#report(known, status, [prepared])
    return status
  }

  /**
   * Adds an event to the queue within a time limit.
   *
   * @throws LateError where that is over first. What the queue then does is counted, sent and reported.
   */
  async #add(
    prepared: PreparedEvent,
    count: "kept" | "deferred",
    millis: number,
    signal: AbortSignal | undefined
  ): Promise<void> {
    if (signal?.aborted) throw signal.reason
    let isKnown = false
    let isLate = false
    const added = this.#queue.add(prepared).then(
      () => {
        isKnown = true
        this.#counts[count]++
        this.#wake()
      },
      (error: unknown) => {
        isKnown = true
        if (!isLate) throw error
        this.#counts.dropped++
        this.#report(this.#keyed(error, prepared), "dropped", [prepared])
      }
    )
    try {
      await within(added, Math.max(0, millis), signal)
    } catch (cause) {
      if (isKnown) throw cause
      isLate = true
      throw new LateError("", { cause })
    }
  }

  async #kept(prepared: PreparedEvent, options: EnqueueOptions): Promise<void> {
    const end = performance.now() + this.#millis(options)
    for (;;) {
      if (this.#closed !== undefined) throw new ClosedError("the client is closed")
      try {
        return await this.#add(prepared, "kept", end - performance.now(), options.signal)
      } catch (error) {
        const waits = (options.whenFull ?? this.#options.whenFull ?? "wait") === "wait"
        if (!waits || !(error instanceof QueueFullError)) throw error
        await this.#room(end - performance.now(), options.signal, error)
      }
    }
  }

  async #room(millis: number, signal: AbortSignal | undefined, full: QueueFullError): Promise<void> {
    // What fills the queue is sent now: nothing can join it.
    this.#drain.start()
    const deadline = new Deadline(Math.max(0, millis), signal)
    try {
      await this.#queue.room(deadline.signal)
    } catch {
      throw signal?.aborted ? signal.reason : full
    } finally {
      deadline.end()
    }
  }

  #wake(): void {
    if (this.#options.handleExit !== false) {
      this.#unhook ??= beforeExit({
        flush: () => this.#leave(),
        count: () => this.#counts.kept + this.#counts.deferred,
        end: () => this.#lose()
      })
    }
    this.#drain.notify()
  }

  #count(outcomes: ReadonlyArray<Outcome>): void {
    for (const { status } of outcomes) {
      this.#counts[status === "duplicate" ? "duplicates" : status]++
    }
  }

  #report(
    error: CairnError,
    kind: ReportKind,
    events: ReadonlyArray<PreparedEvent>,
    outcomes: ReadonlyArray<Outcome> = []
  ): void {
    this.#onError(error, { kind, events, outcomes })
  }

  #keyed(error: unknown, prepared: PreparedEvent | undefined): CairnError {
    const known = error instanceof CairnError ? error : new CairnError(String(error), { cause: error })
    if (prepared !== undefined) known.key = prepared.key
    return known
  }

  #failsOpen(options: RecordOptions): boolean {
    return (options.failure ?? this.#options.failure ?? "closed") === "open"
  }

  #deadline(options: RecordOptions): Deadline {
    return new Deadline(this.#millis(options), options.signal)
  }

  #millis({ timeoutMillis }: RecordOptions): number {
    return timeoutMillis ?? this.#options.timeoutMillis ?? 2000
  }
}
