import type { Refusal } from "./Prepared.ts"

/** The base class of this package's errors. */
export class CairnError extends Error {
  override readonly name: string = "CairnError"
  /** The idempotency key of the event that the call was about, with which a later try cannot double it. */
  key: string | undefined
}

/** The service answered with an error. */
export class CairnApiError extends CairnError {
  override readonly name: string = "CairnApiError"
  /**
   * The service's code, such as `validation_failed`; `unexpected_answer` if the body is not the service's.
   */
  declare readonly code: string
  /** The HTTP status. */
  declare readonly status: number
  /** The id of the request in the service's log; `undefined` where the answer has none. */
  declare readonly requestId: string | undefined
  /** In how many milliseconds to try again, where the service says so. */
  declare readonly retryAfterMillis: number | undefined
  /** The whole body of the answer, where it is a JSON object. */
  declare readonly body: Readonly<Record<string, unknown>>

  constructor({
    message,
    body = {},
    ...fields
  }: {
    readonly code: string
    readonly message: string
    readonly status: number
    readonly requestId?: string | undefined
    readonly retryAfterMillis?: number | undefined
    readonly body?: Readonly<Record<string, unknown>>
  }) {
    super(message)
    Object.assign(this, { body, ...fields })
  }
}

/** No answer came: the connection failed, was cut, or the answer could not be read. */
export class CairnConnectionError extends CairnError {
  override readonly name: string = "CairnConnectionError"
}

/** The time limit passed. Whether the service has what was sent is not known. */
export class CairnTimeoutError extends CairnError {
  override readonly name: string = "CairnTimeoutError"
}

/** An event that can never be accepted: this client found that, or the service refused it. */
export class EventRefusedError extends CairnError {
  override readonly name: string = "EventRefusedError"
  /** Why. */
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** There is no room for another event that waits. */
export class QueueFullError extends CairnError {
  override readonly name: string = "QueueFullError"
}

/** The client, spool or relay was closed. */
export class ClosedError extends CairnError {
  override readonly name: string = "ClosedError"
}
