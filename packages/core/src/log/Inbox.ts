/** Port: where accepted events wait, durably, to be sequenced. */
import { Context, Effect, type Exit, type Option, Schema } from "effect"
import type { CalendarMonth } from "../encoding/CalendarMonth.ts"
import { formatSeconds, type Micros } from "../encoding/Micros.ts"
import type { ContentParts } from "../event/ContentWriter.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** A fully validated event, canonical except for country and city. Nothing about it can fail later. */
export interface PendingEvent {
  /** A UUID that says whether the event is counted, see `isCountedId`. */
  readonly id: string
  readonly idempotencyKey: string | null
  /** The address to enrich from; dropped once the event is sequenced. */
  readonly clientAddress: string | null
  readonly content: ContentParts
}

/** The new events of one request. They are sequenced together and in this order. */
export interface AcceptRequest {
  readonly workspaceId: string
  readonly acceptedAt: Micros
  /**
   * An idempotency key whose event was accepted before this time can be used again; null keeps keys for ever.
   */
  readonly keysExpireBefore: Micros | null
  /** Most new events of the workspace in the calendar month of `acceptedAt`; null or absent is unlimited. */
  readonly quota?: number | null
  /**
   * Whether its new events are counted, as they are unless set to false. A request that is not counted is
   * accepted whatever the quota, and leaves room as it was. A store that counts again from the log knows such
   * events by their ids, see `isCountedId`.
   */
  readonly isCounted?: boolean
  /** Whether its events go into a log that was closed too: for the record that it was. */
  readonly intoClosed?: boolean
  /** At least one. No two share an idempotency key. */
  readonly events: ReadonlyArray<PendingEvent>
}

/** The outcome for one event. */
export interface AcceptOutcome {
  /** The event's id; for a duplicate, the id of the first event with its key. */
  readonly id: string
  readonly duplicate: boolean
}

/** The workspace has reached its quota for this month, so this event was not accepted. */
export class QuotaReached extends Schema.TaggedError<QuotaReached>()("QuotaReached", {
  /** Events a month. */
  quota: Schema.Number,
  /** The month, such as `2024-05`. The count starts again with the next month. */
  month: Schema.String
}) {
  /** One sentence for the client. */
  override get message(): string {
    return `the workspace's ${this.quota} events of ${this.month} are used up`
  }
}

/** The outcome for one event if there is a quota. */
export type CountedOutcome = AcceptOutcome | QuotaReached

/** The inbox holds the most unsequenced events that it may. It empties by itself. */
export class InboxFull extends Schema.TaggedError<InboxFull>()("InboxFull", {
  /** Events waiting. */
  depth: Schema.Number,
  /** The most events that may wait. */
  capacity: Schema.Number
}) {}

/** The workspace's log was closed, for good: nothing is accepted into it. */
export class LogClosed extends Schema.TaggedError<LogClosed>()("LogClosed", {
  closedAt: Schema.Number
}) {
  /** One sentence for the client. */
  override get message(): string {
    return `The workspace was closed at ${formatSeconds(this.closedAt)}: its log takes no more events, and is only read`
  }
}

/** Why nothing of a request was accepted. */
export type AcceptFailure = InboxFull | LogClosed | StorageUnavailable

/** One waiting request. */
export interface InboxRow {
  /** Increasing in acceptance order; never used twice. */
  readonly inboxId: number
  readonly acceptedAt: Micros
  readonly events: ReadonlyArray<PendingEvent>
}

/** A waiting event, for reading before it is sequenced. */
export interface WaitingEvent {
  readonly event: PendingEvent
  readonly acceptedAt: Micros
  /** Its index in its request. */
  readonly offset: number
}

/** How a request ended: one outcome an event, in order. */
export type AcceptExit = Exit.Exit<ReadonlyArray<CountedOutcome>, AcceptFailure>

/** Accepts the events of a request. */
export interface Accept {
  (request: AcceptRequest): Effect.Effect<ReadonlyArray<CountedOutcome>, AcceptFailure>
  /**
   * The same without an Effect, if the inbox can: puts the request in its queue and returns. `done` is called
   * once, in a later turn of the event loop.
   */
  readonly promptly?: PromptAccept
}

/** Accepting without an Effect. */
type PromptAccept = (request: AcceptRequest, done: (exit: AcceptExit) => void) => void

/** Accepting by an inbox that needs no Effect for it. */
export const acceptingBy = (promptly: PromptAccept): Accept =>
  Object.assign(
    (request: AcceptRequest) =>
      Effect.callback<ReadonlyArray<CountedOutcome>, AcceptFailure>((resume) => promptly(request, resume)),
    { promptly }
  )

/**
 * Contract:
 *
 * - When `accept` returns, the new events survive `kill -9` and power loss; when it fails, none of them was
 *   accepted. Many requests may share one commit.
 * - Idempotency keys are unique per workspace, for ever or until they expire, whether the event still waits
 *   or is in the log. Of concurrent requests with one key, exactly one is new. A duplicate stores nothing,
 *   whatever its body.
 * - A request's new events become one row; a request with only duplicates becomes none.
 * - New events are counted by month in the same commit, except those of a request that is not counted. The
 *   count is exact, however many processes accept at the same time. Of a request, the first events that the
 *   quota allows are accepted; of the others nothing is stored, and their keys stay unused. A duplicate is
 *   not a new event.
 * - Beyond the capacity `accept` fails with {@link InboxFull} and stores nothing.
 * - Once `ManagedWorkspaces.close` has returned, `accept` stores nothing of that workspace, in any process,
 *   and fails with {@link LogClosed}, unless the request is for closed logs too; of what was accepted before
 *   nothing is lost. A request with nothing but duplicates may be answered as before.
 * - Rows are removed only by `EventLog.append`, which never loses or duplicates one.
 */
interface InboxShape {
  readonly accept: Accept
  /** A waiting event by id. The cost grows with the backlog. */
  readonly find: (
    workspaceId: string,
    eventId: string
  ) => Effect.Effect<Option.Option<WaitingEvent>, StorageUnavailable>
  /** Events waiting, over all workspaces. */
  readonly depth: Effect.Effect<number, StorageUnavailable>
  /** When the waiting event that was accepted first was accepted; none while none waits. */
  readonly oldest: Effect.Effect<Option.Option<Micros>, StorageUnavailable>
  /**
   * Commits something that changes nothing, as durably as `accept`: whether the store takes writes now. Costs
   * one commit.
   */
  readonly probe: Effect.Effect<void, StorageUnavailable>
}

/** The inbox. */
export class Inbox extends Context.Service<Inbox, InboxShape>()("@cairn/core/Inbox") {}

/**
 * Port: how many events a workspace has had accepted in a month, as the inbox counts them, without those of
 * requests that are not counted.
 */
export class EventUsage extends Context.Service<
  EventUsage,
  {
    readonly accepted: (
      workspaceId: string,
      month: CalendarMonth
    ) => Effect.Effect<number, StorageUnavailable>
  }
>()("@cairn/core/EventUsage") {}
