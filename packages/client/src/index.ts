/**
 * Sends audit events to Cairn and loses none. It has no runtime dependency and needs nothing of Node: it runs
 * in Node from 20, Bun, Deno, browsers and edge runtimes.
 *
 * @packageDocumentation
 */

export {
  CairnApiError,
  CairnConnectionError,
  CairnError,
  CairnTimeoutError,
  ClosedError,
  EventRefusedError,
  QueueFullError
} from "./Errors.ts"
export type { PendingEvents, Take } from "./PendingEvents.ts"
export type { Outcome, PreparedEvent, Refusal } from "./Prepared.ts"
export type { Event, EventInput, TargetInput } from "./Types.ts"
