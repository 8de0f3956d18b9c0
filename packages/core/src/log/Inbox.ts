/** Port: where accepted events wait, durably, for their place in the chain. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { CalendarMonth } from "../encoding/CalendarMonth.ts"
import type { Micros } from "../encoding/Micros.ts"
import type { ContentParts } from "../event/ContentWriter.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** A fully validated event, canonical but for its place; nothing about it can fail later. */
export interface PendingEvent {
  /** UUID v4. */
  readonly id: string
  readonly idempotencyKey: string | null
  /** The address to enrich from; dropped once the event is sequenced. */
  readonly clientAddress: string | null
  readonly content: ContentParts
}

/** The new events of one request; they are sequenced whole and in this order. */
export interface AcceptRequest {
  readonly workspaceId: string
  readonly acceptedAt: Micros
  /**
   * An idempotency key whose event was accepted before this moment is free again; null keeps keys for good.
   */
  readonly keysExpireBefore: Micros | null
  /**
   * Most new events of the workspace in the calendar month of `acceptedAt`; null, or left out, is unlimited.
   */
  readonly quota?: number | null
  /** At least one. No two share an idempotency key. */
  readonly events: ReadonlyArray<PendingEvent>
}

/** What became of one event. */
export interface AcceptOutcome {
  /** The event's id: of the one that came first, for a duplicate. */
  readonly id: string
  readonly duplicate: boolean
}

/** The workspace has had as many events this month as it may: this one was not taken. */
export class QuotaReached extends Schema.TaggedError<QuotaReached>()("QuotaReached", {
  /** Events a month. */
  quota: Schema.Number,
  /** The month, as `2024-05`; with the next one the counting begins anew. */
  month: Schema.String
}) {
  /** One sentence for the client. */
  override get message(): string {
    return `the workspace's ${this.quota} events of ${this.month} are used up`
  }
}

/** What became of one event where there is a quota. */
export type CountedOutcome = AcceptOutcome | QuotaReached

/** The inbox holds as many unsequenced events as it may; it empties by itself. */
export class InboxFull extends Schema.TaggedError<InboxFull>()("InboxFull", {
  /** Events waiting. */
  depth: Schema.Number,
  /** Most that may wait. */
  capacity: Schema.Number
}) {}

/** One request as it waits. */
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

/**
 * Contract:
 *
 * - When `accept` returns, the new events survive `kill -9` and power loss; when it fails, none of them was
 *   accepted. Many requests may share one commit.
 * - Idempotency keys are unique per workspace, for ever or until they expire, wherever the event is by now.
 *   Of concurrent requests with one key exactly one is new. A duplicate stores nothing, whatever its body.
 * - A request's new events become one row; a request of duplicates only becomes none.
 * - New events are counted by month in the same commit, exactly, whoever accepts at once. Those of a request
 *   that the quota still has room for are taken, in order; of the others nothing is stored, their keys stay
 *   free. A duplicate is no new event.
 * - Beyond the capacity `accept` fails with {@link InboxFull} and stores nothing.
 * - Rows leave only through `EventLog.append`, which never loses and never doubles one.
 */
interface InboxShape {
  readonly accept: (
    request: AcceptRequest
  ) => Effect.Effect<ReadonlyArray<CountedOutcome>, InboxFull | StorageUnavailable>
  /** A waiting event by id. Cost grows with the backlog. */
  readonly find: (
    workspaceId: string,
    eventId: string
  ) => Effect.Effect<Option.Option<WaitingEvent>, StorageUnavailable>
  /** Events waiting, over all workspaces. */
  readonly depth: Effect.Effect<number, StorageUnavailable>
}

/** The inbox. */
export class Inbox extends Context.Service<Inbox, InboxShape>()("@cairn/core/Inbox") {}

/** Port: how many events a workspace has had accepted in a month, as the inbox counts them. */
export class EventUsage extends Context.Service<
  EventUsage,
  {
    readonly accepted: (
      workspaceId: string,
      month: CalendarMonth
    ) => Effect.Effect<number, StorageUnavailable>
  }
>()("@cairn/core/EventUsage") {}
