/**
 * Port: messages on their way to the outside, and every attempt at each.
 *
 * A delivery is stored before anything is sent and leaves the queue once it has arrived or was given up; both
 * are kept to be listed and to be sent again by hand.
 */
import { Context, type Effect, type Option, Schema } from "effect"
import { DeliveryChannel, NewDelivery } from "../consumer/Delivery.ts"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"

/** `pending` until it has arrived or was given up. */
export const DeliveryStatus = Schema.Literals(["pending", "delivered", "failed"])
export type DeliveryStatus = typeof DeliveryStatus.Type

/** A message as stored. */
export const Delivery = Schema.Struct({
  ...NewDelivery.fields,
  /** Increasing in the order in which deliveries were stored; the place in a list. */
  number: Schema.Number,
  status: DeliveryStatus,
  /** Attempts since it was first stored or last sent again by hand. */
  attempts: Schema.Number,
  /** When it is tried next; null when it is not. */
  dueAt: Schema.NullOr(Schema.Number)
})
export type Delivery = typeof Delivery.Type

/** A message that the caller alone is to send. */
export interface ClaimedDelivery extends Delivery {
  /** Shown to `settle`. */
  readonly claim: string
}

/** One attempt, as it is kept. */
export const DeliveryAttempt = Schema.Struct({
  started_at: Schema.Number,
  /** Milliseconds. */
  duration: Schema.Number,
  /** The status of an HTTP answer; null without one. */
  status: Schema.NullOr(Schema.Number),
  /** The first 1,024 bytes of an answer. */
  answer: Schema.String,
  /** Why there is none; null when there is one, or when the message arrived. */
  error: Schema.NullOr(Schema.String)
})
export type DeliveryAttempt = typeof DeliveryAttempt.Type

/** What becomes of a message after an attempt. */
export interface Settlement {
  /** Null when none was made: its receiver is gone. */
  readonly attempt: DeliveryAttempt | null
  readonly status: DeliveryStatus
  /** For `pending`: when to try again. */
  readonly dueAt: Micros | null
}

/** Somebody whom a message waits for: a webhook, or a mail address of a workspace. */
export interface WaitingReceiver {
  readonly workspaceId: string
  /** A webhook's id, or a mail address. */
  readonly target: string
  /** Since when the message that is longest due has been. */
  readonly dueAt: Micros
}

/** How many messages of one receiver to take. */
export interface ClaimShare {
  readonly workspaceId: string
  readonly target: string
  /** At least 1. */
  readonly limit: number
}

/** Which messages to take. */
interface ClaimRequest {
  readonly channel: DeliveryChannel
  /** Each receiver once; of one that is not named nothing is taken. */
  readonly shares: ReadonlyArray<ClaimShare>
  readonly now: Micros
  /** Whoever claims has this long; afterwards the message is due again. */
  readonly until: Micros
  /** Distinguishes this claim from every other. */
  readonly claim: string
}

/** Which messages of a workspace; what is left out lets all through. */
export const DeliveryFilter = Schema.Struct({
  channel: Schema.optionalKey(DeliveryChannel),
  target: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(DeliveryStatus)
})
export type DeliveryFilter = typeof DeliveryFilter.Type

/**
 * Contract:
 *
 * - What `put` returned is durable; a delivery whose id is there already stays as it is.
 * - `receivers` lists everybody whom a message is due for by `now`, the longest due first. It costs one look
 *   into an index for each receiver that any message waits for, however many wait for one of them: a long
 *   backlog at one does not make it slower.
 * - `claim` takes messages that are due, of each receiver the longest due first, and gives each message to
 *   one caller only, in whatever process. If that caller ends without settling, the message is due again once
 *   the claim's time is over: it is sent at least once.
 * - `keep` prolongs those of the claims that hold, so that claims can be short, in one commit for all; it
 *   answers how many do.
 * - `settle` stores the attempt and its outcome together. The outcome counts only while the claim holds; the
 *   attempt is kept in any case, unless the message was removed meanwhile. Answers whether the claim held.
 * - What was never tried, or is claimed, is never due later than the clocks of two machines may differ
 *   (`CLOCK_SLACK`), and nothing later than that and the longest wait between two attempts
 *   (`MAX_RETRY_AFTER`): `hasten` makes what is due later due.
 * - Attempts are kept in the order of their numbers, from 1; sending again by hand starts the schedule, not
 *   the numbers, anew.
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
  /** Newest first, only those numbered below `before` unless that is null. */
  readonly page: (
    workspaceId: string,
    request: { readonly filter: DeliveryFilter; readonly before: number | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Delivery>, StorageUnavailable>
  readonly count: (workspaceId: string, filter: DeliveryFilter) => Effect.Effect<number, StorageUnavailable>
  /** First to last. */
  readonly attempts: (
    workspaceId: string,
    id: string
  ) => Effect.Effect<ReadonlyArray<DeliveryAttempt>, StorageUnavailable>
  /** Makes it pending and due at `at`, with its schedule begun anew; none when there is no such delivery. */
  readonly redeliver: (
    workspaceId: string,
    id: string,
    at: Micros
  ) => Effect.Effect<Option.Option<Delivery>, StorageUnavailable>
  /** When the next message is due, one that is claimed by the end of its claim; null when none waits. */
  readonly nextDue: Effect.Effect<Micros | null, StorageUnavailable>
  /**
   * Makes due now what a clock that ran ahead has put off for longer than can be; answers how many. Looks at
   * all that is due later.
   */
  readonly hasten: (now: Micros) => Effect.Effect<number, StorageUnavailable>
  /** Removes what was stored before this moment and is not pending; answers how many. */
  readonly prune: (before: Micros) => Effect.Effect<number, StorageUnavailable>
}

/** The outbox. */
export class Outbox extends Context.Service<Outbox, OutboxShape>()("@cairn/core/Outbox") {}
