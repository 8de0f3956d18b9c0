/**
 * Port: the messages to send, and every attempt at each.
 *
 * A delivery is stored before anything is sent. It leaves the queue when it has been delivered or given up,
 * and is kept so that it can be listed and redelivered.
 */
import { Context, type Effect, type Option, Schema } from "effect"
import { DeliveryChannel, NewDelivery } from "../consumer/Delivery.ts"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"

/** `pending` until it has been delivered or given up. */
export const DeliveryStatus = Schema.Literals(["pending", "delivered", "failed"])
export type DeliveryStatus = typeof DeliveryStatus.Type

/** A message as stored. */
export const Delivery = Schema.Struct({
  ...NewDelivery.fields,
  /** Increasing in the order in which deliveries were stored; its place in a list. */
  number: Schema.Number,
  status: DeliveryStatus,
  /** Attempts since it was first stored or last redelivered. */
  attempts: Schema.Number,
  /** When it is tried next; null if it is not. */
  dueAt: Schema.NullOr(Schema.Number)
})
export type Delivery = typeof Delivery.Type

/** A message that only the caller may send. */
export interface ClaimedDelivery extends Delivery {
  /** Must be passed to `settle`. */
  readonly claim: string
}

/** One attempt, as it is stored. */
export const DeliveryAttempt = Schema.Struct({
  started_at: Schema.Number,
  /** Milliseconds. */
  duration: Schema.Number,
  /** The status of the HTTP response; null without one. */
  status: Schema.NullOr(Schema.Number),
  /** The first 1,024 bytes of the response. */
  answer: Schema.String,
  /** Why there is no response; null if there is one, or if the message was delivered. */
  error: Schema.NullOr(Schema.String)
})
export type DeliveryAttempt = typeof DeliveryAttempt.Type

/** The result of an attempt. */
export interface Settlement {
  /** Null if none was made because the receiver no longer exists. */
  readonly attempt: DeliveryAttempt | null
  readonly status: DeliveryStatus
  /** For `pending`: when to try again. */
  readonly dueAt: Micros | null
}

/** A receiver of messages: a webhook, or a mail address of a workspace. */
export interface WaitingReceiver {
  readonly workspaceId: string
  /** A webhook's id, or a mail address. */
  readonly target: string
  /** When its longest-due message became due. */
  readonly dueAt: Micros
}

/** How many messages of one receiver to claim. */
export interface ClaimShare {
  readonly workspaceId: string
  readonly target: string
  /** At least 1. */
  readonly limit: number
}

/** Which messages to claim. */
interface ClaimRequest {
  readonly channel: DeliveryChannel
  /** Each receiver once; nothing is claimed for receivers that are not named. */
  readonly shares: ReadonlyArray<ClaimShare>
  readonly now: Micros
  /** How long the claim lasts; afterwards the message is due again. */
  readonly until: Micros
  /** Identifies this claim. */
  readonly claim: string
}

/** Which messages of a workspace; an absent condition is met by all. */
export const DeliveryFilter = Schema.Struct({
  channel: Schema.optionalKey(DeliveryChannel),
  target: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(DeliveryStatus)
})
export type DeliveryFilter = typeof DeliveryFilter.Type

/**
 * Contract:
 *
 * - When `put` returns, the messages are durable. A delivery whose id exists already is not changed.
 * - `receivers` lists every receiver with a message that is due by `now`, the longest due first. It costs one
 *   index look-up for each receiver with waiting messages, however many wait for one of them: a long backlog
 *   at one does not slow it down.
 * - `claim` takes messages that are due, of each receiver the longest due first, and gives each message to
 *   one caller only, in any process. If that caller ends without settling, the message is due again when the
 *   claim ends: it is sent at least once.
 * - `keep` extends those of the claims that are still valid, all in one commit, so that claims can be short.
 *   It returns how many are.
 * - `settle` stores the attempt and its outcome together. The outcome counts only while the claim is valid.
 *   The attempt is always stored, unless the message was removed in the meantime. Returns whether the claim
 *   was valid.
 * - A message that was never tried, or is claimed, is never due later than `CLOCK_SLACK`, the most that the
 *   clocks of two machines may differ. No message is due later than that plus the longest wait between two
 *   attempts (`MAX_RETRY_AFTER`). `hasten` makes messages that are due later due now.
 * - Attempts are numbered from 1. Redelivery restarts the schedule, not the numbers.
 */
interface OutboxShape {
  readonly put: (deliveries: ReadonlyArray<NewDelivery>) => Effect.Effect<void, StorageUnavailable>
  readonly receivers: (
    channel: DeliveryChannel,
    now: Micros
  ) => Effect.Effect<ReadonlyArray<WaitingReceiver>, StorageUnavailable>
  readonly claim: (request: ClaimRequest) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, StorageUnavailable>
  readonly keep: (
    deliveries: ReadonlyArray<ClaimedDelivery>,
    until: Micros
  ) => Effect.Effect<number, StorageUnavailable>
  readonly settle: (
    delivery: ClaimedDelivery,
    settlement: Settlement
  ) => Effect.Effect<boolean, StorageUnavailable>
  readonly get: (
    workspaceId: string,
    id: string
  ) => Effect.Effect<Option.Option<Delivery>, StorageUnavailable>
  /** Newest first; only those numbered below `before`, unless that is null. */
  readonly page: (
    workspaceId: string,
    request: { readonly filter: DeliveryFilter; readonly before: number | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Delivery>, StorageUnavailable>
  readonly count: (workspaceId: string, filter: DeliveryFilter) => Effect.Effect<number, StorageUnavailable>
  /** Oldest first. */
  readonly attempts: (
    workspaceId: string,
    id: string
  ) => Effect.Effect<ReadonlyArray<DeliveryAttempt>, StorageUnavailable>
  /** Makes it pending and due at `at`, with its schedule restarted; none if there is no such delivery. */
  readonly redeliver: (
    workspaceId: string,
    id: string,
    at: Micros
  ) => Effect.Effect<Option.Option<Delivery>, StorageUnavailable>
  /** When the next message is due (for a claimed one, when its claim ends); null if none waits. */
  readonly nextDue: Effect.Effect<Micros | null, StorageUnavailable>
  /**
   * Makes due now the messages that a clock that was ahead has postponed for longer than possible, and
   * returns how many. Reads all that are due later.
   */
  readonly hasten: (now: Micros) => Effect.Effect<number, StorageUnavailable>
  /** Removes messages that were stored before this time and are not pending, and returns how many. */
  readonly prune: (before: Micros) => Effect.Effect<number, StorageUnavailable>
}

/** The outbox. */
export class Outbox extends Context.Service<Outbox, OutboxShape>()("@cairn/core/Outbox") {}
