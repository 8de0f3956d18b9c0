import { backoff, pause, type Retry } from "./Backoff.ts"
import { Deadline, within } from "./Deadline.ts"
import { type Batching, Drain } from "./Drain.ts"
import { type Endpoints, makeEndpoints } from "./Endpoints.ts"
import {
  CairnApiError,
  CairnError,
  CairnTimeoutError,
  ClosedError,
  EventRefusedError,
  QueueFullError
} from "./Errors.ts"
import type { Enqueued, EnqueueOptions, EventSink, Failure, Recorded, RecordOptions } from "./EventSink.ts"
import { beforeExit } from "./ExitHooks.ts"
import { Http, type Service } from "./Http.ts"
import { memoryQueue } from "./MemoryQueue.ts"
import type { PendingEvents } from "./PendingEvents.ts"
import { type Preparation, prepareEvent } from "./Prepare.ts"
import type { Outcome, PreparedEvent } from "./Prepared.ts"
import { makeRedactor, type SecretPath } from "./Redaction.ts"
import { consoleReports, type OnError, type ReportKind } from "./Report.ts"
import { Sender } from "./Sender.ts"
import type { EventInput } from "./Types.ts"

/** What a client is made with. */
export interface CairnOptions extends Service {
  /** Most milliseconds of a call of `record` or `enqueue`, retries included: 2,000. */
  readonly timeoutMillis?: number | undefined
  /** Whether a call that cannot be served in time fails; `closed`, it does, unless given here or there. */
  readonly failure?: Failure | undefined
  /** What a full queue does with another event: `wait` for room within the time limit, unless given. */
  readonly whenFull?: "wait" | "drop" | undefined
  /**
   * Where events wait: in memory, 10,000 of them unless `events` says otherwise. A spool keeps them through a
   * crash.
   */
  readonly queue?: PendingEvents | { readonly events: number } | undefined
  readonly batch?: Batching | undefined
  readonly retry?: Retry | undefined
  /** Members that every event has which has none of its own. */
  readonly context?: (() => Partial<EventInput> | undefined) | undefined
  /** Where events have secrets: they are replaced before anything else sees the event. */
  readonly redact?: ReadonlyArray<SecretPath> | undefined
  /** Hears of all that is not as it should be; a line on the console unless given. */
  readonly onError?: OnError | undefined
  /** Whether what waits is sent before the process ends and on SIGTERM, where there is a process: it is. */
  readonly handleExit?: boolean | undefined
}

/** What has become of events since the client was made. */
export interface Counters {
  /** Events that came into the queue. */
  readonly kept: number
  /** Events that the service has newly recorded, by `record` or from the queue. */
  readonly queued: number
  /** Events that it had already. */
  readonly duplicates: number
  /** Events that it will never take. */
  readonly refused: number
  /** Events for which there was no room or no disk, and those that were in memory when the client ended. */
  readonly dropped: number
  /** Events of `record` that went on in the queue, because no answer came in time. */
  readonly deferred: number
  /** Requests that were to be repeated. */
  readonly retries: number
  /** Events that wait now. */
  readonly waiting: number
}

/** Most milliseconds that a queue takes to keep what could not be recorded in time. */
const DEFER_MILLIS = 500

/** Whether the same request a moment later would be answered alike: a wrong key, a redirect. */
const isPointless = (error: unknown): boolean =>
  error instanceof CairnApiError && error.status < 500 && ![408, 425, 429].includes(error.status)

const isQueue = (queue: CairnOptions["queue"]): queue is PendingEvents =>
  queue !== undefined && "take" in queue

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
  readonly events: Endpoints["events"]
  /** Reads signed checkpoints of the log. */
  readonly checkpoints: Endpoints["checkpoints"]
  /** Reads and verifies anchors. */
  readonly anchors: Endpoints["anchors"]
  /** Makes and downloads exports. */
  readonly exports: Endpoints["exports"]
  /** Makes tokens for the viewer. */
  readonly viewerTokens: Endpoints["viewerTokens"]
  /** Reads and acknowledges alerts. */
  readonly alerts: Endpoints["alerts"]
  /** Manages alert rules. */
  readonly alertRules: Endpoints["alertRules"]
  /** Manages webhooks. */
  readonly webhooks: Endpoints["webhooks"]
  /** Reads what was delivered, and delivers it again. */
  readonly deliveries: Endpoints["deliveries"]
  /** Manages log streams. */
  readonly logStreams: Endpoints["logStreams"]
  /** Manages the members of the workspace. */
  readonly members: Endpoints["members"]
  /** Manages API keys. */
  readonly apiKeys: Endpoints["apiKeys"]
  /** The workspace's settings and usage. */
  readonly workspace: Endpoints["workspace"]
  /** Whether the service runs and can serve. */
  readonly health: Endpoints["health"]
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
    this.#options = options
    this.#http = new Http(options)
    this.#sender = new Sender(this.#http)
    const { queue } = options
    this.#isInMemory = !isQueue(queue)
    this.#queue = isQueue(queue) ? queue : memoryQueue(queue)
    this.#onError = options.onError ?? consoleReports()
    const { context, redact } = options
    this.#preparation = { context, redact: redact && makeRedactor(redact) }
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
    const calls = makeEndpoints({ http: this.#http, retry: options.retry })
    this.events = calls.events
    this.checkpoints = calls.checkpoints
    this.anchors = calls.anchors
    this.exports = calls.exports
    this.viewerTokens = calls.viewerTokens
    this.alerts = calls.alerts
    this.alertRules = calls.alertRules
    this.webhooks = calls.webhooks
    this.deliveries = calls.deliveries
    this.logStreams = calls.logStreams
    this.members = calls.members
    this.apiKeys = calls.apiKeys
    this.workspace = calls.workspace
    this.health = calls.health
    // What an earlier process left in a spool is sent without waiting for a first event.
    if (this.#queue.size() > 0) this.#wake()
    this.#queue.watch?.(() => this.#wake())
  }

  /** What has become of events so far. */
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
    const deadline = this.#deadline(options)
    const failsOpen = this.#failsOpen(options)
    let prepared: PreparedEvent | undefined
    try {
      prepared = this.#prepare(event)
      return await this.#recorded(prepared, deadline)
    } catch (error) {
      const known = this.#keyed(error, prepared)
      if (error instanceof EventRefusedError) this.#counts.refused++
      if (!failsOpen || options.signal?.aborted) throw known
      if (prepared === undefined || isFinal(error)) {
        const isRefused = error instanceof EventRefusedError
        this.#report(known, isRefused ? "refused" : "dropped", prepared ? [prepared] : [])
        return { status: isRefused ? "refused" : "dropped", key: prepared?.key ?? "" }
      }
      return { status: await this.#defer(prepared, known), key: prepared.key }
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
    const failsOpen = this.#failsOpen(options)
    let prepared: PreparedEvent | undefined
    try {
      prepared = this.#prepare(event)
      await this.#kept(prepared, options)
      return { status: "kept", key: prepared.key }
    } catch (error) {
      const known = this.#keyed(error, prepared)
      const key = prepared?.key ?? ""
      if (error instanceof CairnTimeoutError) {
        if (!failsOpen) throw known
        this.#report(known, "deferred", prepared ? [prepared] : [])
        return { status: "deferred", key }
      }
      const isRefused = error instanceof EventRefusedError
      const isWanted =
        (options.whenFull ?? this.#options.whenFull) === "drop" && error instanceof QueueFullError
      this.#counts[isRefused ? "refused" : "dropped"]++
      if (!failsOpen && !isWanted) throw known
      this.#report(known, isRefused ? "refused" : "dropped", prepared ? [prepared] : [])
      return { status: isRefused ? "refused" : "dropped", key }
    }
  }

  /** Sends what waits now, for at most 10 seconds unless said otherwise. */
  async flush(
    options: { readonly timeoutMillis?: number | undefined; readonly signal?: AbortSignal | undefined } = {}
  ): Promise<{ readonly waiting: number }> {
    const deadline = this.#deadline({ timeoutMillis: 10_000, ...options })
    await this.#drain.flush(deadline.signal)
    deadline.end()
    return { waiting: this.#queue.size() }
  }

  /**
   * Sends what waits, for at most 10 seconds unless said otherwise, and ends. What then still waits is in the
   * spool for the next start, or, where the queue is in memory, lost, which `onError` and the counters say.
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
    this.#unhook?.()
    const deadline = this.#deadline({ timeoutMillis: options.timeoutMillis ?? 10_000 })
    await this.#drain.close(deadline.signal)
    deadline.end()
    const waiting = this.#queue.size()
    if (this.#isInMemory) this.#counts.dropped += waiting
    this.#sayLost(waiting)
    return { waiting }
  }

  /** The process ends: what waits is sent, and what is lost with its memory is said. */
  async #leave(): Promise<void> {
    this.#sayLost((await this.flush()).waiting)
  }

  #sayLost(waiting: number): void {
    if (waiting === 0 || !this.#isInMemory) return
    const error = new ClosedError(`${waiting} events waited in memory when the client ended`)
    this.#report(error, "dropped", [])
  }

  #prepare(event: EventInput): PreparedEvent {
    if (this.#closed !== undefined) throw new ClosedError("the client is closed")
    return prepareEvent(event, this.#preparation)
  }

  async #recorded(prepared: PreparedEvent, deadline: Deadline): Promise<Recorded> {
    for (let failures = 1; ; failures++) {
      const timeoutMillis = deadline.left()
      const { outcomes, error } = await this.#sender.send([prepared], {
        timeoutMillis,
        signal: deadline.signal
      })
      const [outcome] = outcomes
      if (outcome !== undefined) {
        if (outcome.status === "refused") throw new EventRefusedError(outcome.refusal)
        this.#count(outcomes)
        return { status: outcome.status, key: prepared.key, id: outcome.id }
      }
      const wait = backoff(failures, error, this.#options.retry)
      if (isPointless(error) || wait >= deadline.left()) throw error
      this.#counts.retries++
      await pause(wait, deadline.signal)
    }
  }

  async #defer(prepared: PreparedEvent, error: CairnError): Promise<"deferred" | "dropped"> {
    try {
      // The call's time is over: the queue has only a moment more.
      await within(this.#queue.add(prepared), DEFER_MILLIS, undefined)
    } catch (cause) {
      if (cause instanceof CairnTimeoutError) {
        this.#report(error, "deferred", [prepared])
        return "deferred"
      }
      this.#counts.dropped++
      this.#report(new CairnError(`${error.message}; the queue: ${String(cause)}`, { cause }), "dropped", [
        prepared
      ])
      return "dropped"
    }
    this.#counts.deferred++
    this.#report(error, "deferred", [prepared])
    this.#wake()
    return "deferred"
  }

  async #kept(prepared: PreparedEvent, options: EnqueueOptions): Promise<void> {
    const end = performance.now() + this.#millis(options)
    for (;;) {
      if (this.#closed !== undefined) throw new ClosedError("the client is closed")
      try {
        await within(this.#queue.add(prepared), Math.max(0, end - performance.now()), options.signal)
        this.#counts.kept++
        return this.#wake()
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
    if (this.#options.handleExit !== false) this.#unhook ??= beforeExit(() => this.#leave())
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
    try {
      this.#onError(error, { kind, events, outcomes })
    } catch {
      // An application's report must not stop its events.
    }
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
