/** Events on their way: what waits, and what became of it. */

/** An event that waits to be sent. */
export interface PreparedEvent {
  /** Its idempotency key, which is in `json` too. */
  readonly key: string
  /** The whole body as JSON, one line, with its idempotency key and its `occurred_at`. It never changes. */
  readonly json: string
}

/** Why the service will never take an event. */
export interface Refusal {
  /** The service's error code, such as `validation_failed`. */
  readonly error: string
  /** What is wrong, for a person. */
  readonly message: string
  /** The wrong values, by their JSON paths. */
  readonly errors?: ReadonlyArray<{ readonly field: string; readonly message: string }>
  /** Members that the service does not know, by their JSON paths. */
  readonly unknown_fields?: ReadonlyArray<string>
}

/** What became of an event that was sent. */
export type Outcome =
  | {
      readonly key: string
      /** `duplicate`: the service had an event with this key already. */
      readonly status: "queued" | "duplicate"
      /** The event's id; of the first event, for a duplicate. */
      readonly id: string
      /** What the service left out of it, where the workspace only warns of unknown members. */
      readonly warnings?: ReadonlyArray<string>
      /** Members that this client knows and the service does not: left out, once, so that it was taken. */
      readonly dropped_fields?: ReadonlyArray<string>
    }
  | {
      readonly key: string
      readonly status: "refused"
      readonly refusal: Refusal
      /** The id of the request that was refused, for the service's log. */
      readonly requestId?: string
    }
