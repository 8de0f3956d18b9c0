/** A client's options and counters, and the check of options. */
import type { Retry } from "./Backoff.ts"
import type { Batching } from "./Drain.ts"
import type { Failure } from "./EventSink.ts"
import type { Service } from "./Http.ts"
import type { PendingEvents } from "./PendingEvents.ts"
import type { SecretPath } from "./Redaction.ts"
import type { OnError } from "./Report.ts"
import type { EventInput } from "./Types.ts"

/** What a client is made with. */
export interface CairnOptions extends Service {
  /** Most milliseconds of a call of `record` or `enqueue`, retries included: 2,000. */
  readonly timeoutMillis?: number | undefined
  /**
   * Whether a call that cannot be served in time fails: with `closed`, the default, it does. A call can
   * override it.
   */
  readonly failure?: Failure | undefined
  /**
   * What a full queue does with another event: by default it lets the call `wait` for room within the limit.
   */
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
  /** Called for each fault; a line on the console unless given. */
  readonly onError?: OnError | undefined
  /**
   * Whether the events that wait are sent before the process ends and on SIGTERM, where there is a process.
   * By default they are, for as long as {@link Cairn.close} takes by itself, or for `timeoutMillis`.
   */
  readonly handleExit?: boolean | { readonly timeoutMillis: number } | undefined
}

/** The outcomes of events since the client was made. */
export interface Counters {
  /** Calls whose event the queue has taken. One whose key waits there already is counted, and sent later. */
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

/** Each text setting, and what it may be. */
const WORDS = new Map<string, ReadonlyArray<unknown>>([
  ["failure", ["closed", "open"]],
  ["whenFull", ["wait", "drop"]]
])
/** Which settings are numbers. */
const NUMBER = /Millis$|^(count|bytes|events)$/

/** @throws TypeError for an unknown option, with its name: it would have no effect without notice. */
export const checkOptions = (options: object): void => {
  for (const [name, value] of Object.entries(options)) {
    const words = WORDS.get(name)
    // `Infinity` is a number too: what has an end of its own takes that.
    const isGood = words?.includes(value) ?? (!NUMBER.test(name) || (typeof value === "number" && value >= 0))
    if (isGood || value === undefined) continue
    throw new TypeError(`${name} must be ${words?.join(" or ") ?? "a number from 0 on"}`)
  }
}

/** Whether events wait in something else than memory. */
export const isQueue = (queue: object | undefined): queue is PendingEvents =>
  queue !== undefined && "take" in queue
