/**
 * Sends audit events to Cairn and loses none. It has no runtime dependency and needs nothing of Node: it runs
 * in Node from 20, Bun, Deno, browsers and edge runtimes.
 *
 * @packageDocumentation
 */

export type { Retry } from "./Backoff.ts"
export { Cairn } from "./Cairn.ts"
export type { CairnOptions, Counters } from "./CairnOptions.ts"
export type { Batching } from "./Drain.ts"
export type { Endpoints } from "./Endpoints.ts"
export type { CallOptions, List } from "./EndpointTypes.ts"
export {
  CairnApiError,
  CairnConnectionError,
  CairnError,
  CairnTimeoutError,
  ClosedError,
  EventRefusedError,
  QueueFullError
} from "./Errors.ts"
export type { Enqueued, EnqueueOptions, EventSink, Failure, Recorded, RecordOptions } from "./EventSink.ts"
export type { Service } from "./Http.ts"
export type { PendingEvents, Take } from "./PendingEvents.ts"
export type { Outcome, PreparedEvent, Refusal } from "./Prepared.ts"
export { makeRedactor, type SecretPath } from "./Redaction.ts"
export type { OnError, Report, ReportKind } from "./Report.ts"
export type { Event, EventInput, TargetInput } from "./Types.ts"
