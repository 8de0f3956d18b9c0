/**
 * Port: the stored anchors, the periods that they cover and the transactions that carry them.
 *
 * - A **period** is closed: its last event and its root are fixed. It waits until the anchor before it can no
 *   longer change.
 * - An **anchor** is made of a period when the anchor before it is settled. It names that anchor, and is
 *   pending, submitted or confirmed.
 * - A **submission** is a set of anchors in one transaction, with every transaction ever signed for it: the
 *   first one, those that replaced it at higher fees, and those with another nonce because the first nonce
 *   was used by something else.
 */
import { Context, type Effect, type Option, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import type { SignedTransaction, TransactionPlace } from "./AnchorChain.ts"
import { AnchorPeriod, type AnchorSchedule, type OpenPeriod } from "./AnchorPeriod.ts"

/** A closed period. */
export const ClosedPeriod = Schema.Struct({
  ...AnchorPeriod.fields,
  /** `anc_` and a UUID: the id of the anchor that it becomes. */
  id: Schema.String,
  workspaceId: Schema.String,
  /** 1 for a workspace's first period, then consecutive. */
  ordinal: Schema.Number,
  firstSequence: Schema.Number,
  lastSequence: Schema.Number,
  /** Lower-case hexadecimal, like the next two. */
  firstEventHash: Schema.String,
  lastEventHash: Schema.String,
  merkleRoot: Schema.String
})
export type ClosedPeriod = typeof ClosedPeriod.Type

/** An anchor as it is stored. */
export interface StoredAnchor extends ClosedPeriod {
  readonly status: "pending" | "submitted" | "confirmed"
  /** Null for a workspace's first anchor. */
  readonly previousAnchorHash: string | null
  readonly createdAt: Micros
  /** The chain that it is for; null if none was configured when it was created. */
  readonly chainId: number | null
  /** Null until it is submitted. */
  readonly submissionId: string | null
  /**
   * The confirmed transaction's hash. It is kept if the chain drops its block: the next anchor may have named
   * it.
   */
  readonly place: TransactionPlace | null
}

/** Events that are in no period yet. */
export interface Unanchored extends OpenPeriod {
  readonly workspaceId: string
  /** The ordinal of the period that they will be in. */
  readonly ordinal: number
  readonly firstSequence: number
  /** `created_at` of the head. */
  readonly lastCreatedAt: Micros
  /** The workspace's own schedule; null for the service's. */
  readonly schedule: AnchorSchedule | null
}

/** A closed period, and the anchor that it follows. */
export interface RipePeriod {
  readonly period: ClosedPeriod
  /** Null for a workspace's first anchor. */
  readonly previous: { readonly merkleRoot: string; readonly txHash: string | null } | null
}

/** A period that becomes an anchor. */
export interface AnchorCreation {
  readonly workspaceId: string
  readonly ordinal: number
  readonly previousAnchorHash: string | null
  readonly chainId: number | null
  readonly createdAt: Micros
}

/** A transaction and when it was signed. */
export interface StoredTransaction extends SignedTransaction {
  readonly signedAt: Micros
}

/** Anchors that are submitted together. */
export interface Submission {
  /** A UUID. */
  readonly id: string
  readonly chainId: number
  /** Address that signed, `0x` and 40 lower-case hexadecimal characters. */
  readonly account: string
  /** Whether its anchors are confirmed. */
  readonly confirmed: boolean
  /** The confirmed transaction, even if the chain has dropped its block since; else null. */
  readonly confirmedHash: string | null
  /** The transactions in the order of signing; at least one. */
  readonly transactions: ReadonlyArray<StoredTransaction>
}

/**
 * Contract:
 *
 * - When a call returns, its changes are durable. Each call is done completely or not at all, also with many
 *   processes at the same time: of two calls that close the same period, create the same anchor, submit the
 *   same anchors or take the same nonce, one succeeds and the other changes nothing.
 * - `raiseFloor` waits for an append that is in progress. When it returns, no event that is sequenced later
 *   is dated before `floor`, so all events dated before it are there.
 * - A period's ordinal is one more than that of the workspace's last period, and it begins with the event
 *   after that period's last.
 * - An anchor's root, period, number, previous anchor's hash and time never change. Its status and place
 *   change as each call describes.
 */
export interface AnchorsShape {
  /** Workspaces with events that are in no period, each with the first of those events. */
  readonly unanchored: Effect.Effect<ReadonlyArray<Unanchored>, StorageUnavailable>
  /** The same for one workspace; none if every event is in a period. */
  readonly unanchoredOf: (workspaceId: string) => Effect.Effect<Option.Option<Unanchored>, StorageUnavailable>
  readonly raiseFloor: (
    floors: ReadonlyArray<{ readonly workspaceId: string; readonly floor: Micros }>
  ) => Effect.Effect<void, StorageUnavailable>
  /** Stores closed periods and returns how many. A period whose ordinal exists already is left out. */
  readonly close: (periods: ReadonlyArray<ClosedPeriod>) => Effect.Effect<number, StorageUnavailable>
  /**
   * Periods that can become anchors: the oldest of each workspace that is no anchor yet and follows an anchor
   * that is confirmed or has no chain.
   */
  readonly ripe: (limit: number) => Effect.Effect<ReadonlyArray<RipePeriod>, StorageUnavailable>
  /** Makes anchors of periods and returns how many. A period that is an anchor already is not changed. */
  readonly create: (anchors: ReadonlyArray<AnchorCreation>) => Effect.Effect<number, StorageUnavailable>
  /**
   * Pending anchors that are for a chain, cover a period that ended by `endedBy`, and are in no transaction
   * yet, oldest first.
   */
  readonly unsubmitted: (
    chainId: number,
    endedBy: Micros,
    limit: number
  ) => Effect.Effect<ReadonlyArray<StoredAnchor>, StorageUnavailable>
  /** The first nonce after those of the account's unsettled submissions; 0 if there are none. */
  readonly nextNonce: (chainId: number, account: string) => Effect.Effect<number, StorageUnavailable>
  /** The first nonce after all that were ever used in a signed transaction; 0 if none was. */
  readonly signedUpTo: (chainId: number, account: string) => Effect.Effect<number, StorageUnavailable>
  /**
   * Stores a submission with its first transaction; false if one of the anchors is already submitted or the
   * nonce is taken.
   */
  readonly submit: (
    submission: Pick<Submission, "id" | "chainId" | "account">,
    transaction: StoredTransaction,
    anchorIds: ReadonlyArray<string>
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** Stores another transaction of a submission; false if another submission has its nonce. */
  readonly addTransaction: (
    submissionId: string,
    transaction: StoredTransaction
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** Submissions on a chain that are not settled, oldest first. */
  readonly unsettled: (chainId: number) => Effect.Effect<ReadonlyArray<Submission>, StorageUnavailable>
  /** Marks the submission's pending anchors as submitted. */
  readonly markSent: (submissionId: string) => Effect.Effect<void, StorageUnavailable>
  /**
   * Marks the submission's anchors as confirmed at this place. If `settled`, the submission is not watched
   * any more.
   */
  readonly confirm: (
    submissionId: string,
    place: TransactionPlace,
    settled: boolean
  ) => Effect.Effect<void, StorageUnavailable>
  /** The chain dropped the block of a confirmed submission: marks its anchors as submitted again. */
  readonly reopen: (submissionId: string) => Effect.Effect<void, StorageUnavailable>
  readonly get: (
    workspaceId: string,
    anchorId: string
  ) => Effect.Effect<Option.Option<StoredAnchor>, StorageUnavailable>
  /** The anchor with this number in its workspace. */
  readonly at: (
    workspaceId: string,
    ordinal: number
  ) => Effect.Effect<Option.Option<StoredAnchor>, StorageUnavailable>
  /** Newest first. */
  readonly list: (
    workspaceId: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<StoredAnchor>, StorageUnavailable>
  /** Anchors that cover any event of a range of sequences, both ends included, oldest first. */
  readonly over: (
    workspaceId: string,
    from: number,
    to: number
  ) => Effect.Effect<ReadonlyArray<StoredAnchor>, StorageUnavailable>
  /** When the newest transaction that is confirmed was signed first; none if none is. */
  readonly newestConfirmed: Effect.Effect<Option.Option<Micros>, StorageUnavailable>
  /** The anchors of a submission. */
  readonly carriedBy: (submissionId: string) => Effect.Effect<ReadonlyArray<StoredAnchor>, StorageUnavailable>
  /** Every transaction that was signed for a submission. */
  readonly transactions: (
    submissionId: string
  ) => Effect.Effect<ReadonlyArray<StoredTransaction>, StorageUnavailable>
}

/** The anchors. */
export class Anchors extends Context.Service<Anchors, AnchorsShape>()("@cairn/core/Anchors") {}
