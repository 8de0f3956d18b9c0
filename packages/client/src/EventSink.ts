import type { EventInput } from "./Types.ts"

/** What becomes of a call that cannot be served in time: it fails, or the caller goes on. */
export type Failure = "closed" | "open"

/** The options of {@link EventSink.record}. */
export interface RecordOptions {
  /** Most milliseconds that the call takes, retries included; 2,000 unless the client says otherwise. */
  readonly timeoutMillis?: number | undefined
  /**
   * `closed`: an event that cannot be recorded in time is an error. `open`: the call resolves in any case,
   * the event stays in the queue, and the client's `onError` and counters report it.
   */
  readonly failure?: Failure | undefined
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined
}

/** The options of {@link EventSink.enqueue}. */
export interface EnqueueOptions extends RecordOptions {
  /** Where there is no room: `wait` for some within the time limit, or `drop` the event at once. */
  readonly whenFull?: "wait" | "drop" | undefined
}

/**
 * What became of an event that was to be recorded.
 *
 * - `queued`, `duplicate`: the service has it on disk. `duplicate`: it had an event of this key already.
 * - `deferred`: no answer in time; the event goes on in the queue. Only with `failure: "open"`.
 * - `refused`, `dropped`: it will not be recorded. Only with `failure: "open"`.
 */
export type Recorded =
  | { readonly status: "queued" | "duplicate"; readonly key: string; readonly id: string }
  | { readonly status: "deferred" | "refused" | "dropped"; readonly key: string }

/**
 * What became of an event that was enqueued.
 *
 * - `kept`: the queue has it; with a spool, it is on disk.
 * - `dropped`: there was no room, with `whenFull: "drop"` or `failure: "open"`.
 * - `deferred`: the queue has not confirmed in time that it has it. Only with `failure: "open"`.
 * - `refused`: it can never be sent. Only with `failure: "open"`.
 */
export interface Enqueued {
  readonly status: "kept" | "dropped" | "deferred" | "refused"
  /** Its idempotency key; empty where it was refused before it had one. */
  readonly key: string
}

/** Something that takes events: a client, or a recorder in its place in a test. */
export interface EventSink {
  /** Resolves once the service has the event on disk. */
  readonly record: (event: EventInput, options?: RecordOptions) => Promise<Recorded>
  /** Resolves once the event is in the queue, from which it is sent in batches. */
  readonly enqueue: (event: EventInput, options?: EnqueueOptions) => Promise<Enqueued>
  /** Sends what waits. Resolves with how many events still wait after the time limit. */
  readonly flush: (options?: {
    readonly timeoutMillis?: number | undefined
    readonly signal?: AbortSignal | undefined
  }) => Promise<{ readonly waiting: number }>
  /** The same, and ends: nothing is taken afterwards. */
  readonly close: (options?: { readonly timeoutMillis?: number | undefined }) => Promise<{
    readonly waiting: number
  }>
}
