/**
 * Port: what is stored of anchors, of the periods they stand for and of the transactions that carry them.
 *
 * - A **period** is closed: its last event and its root are fixed. It waits until the anchor before it cannot
 *   change any more.
 * - An **anchor** is a period whose turn has come: it names the one before it, and is pending, submitted or
 *   confirmed.
 * - A **submission** is a set of anchors that travel in one transaction, with every transaction that was ever
 *   signed for it: the first one, those that replaced it at higher fees, and those at another nonce after
 *   somebody else had used the first.
 */
import { Context, type Effect, type Option, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import type { SignedTransaction, TransactionPlace } from "./AnchorChain.ts"
import { AnchorPeriod, type AnchorSchedule, type OpenPeriod } from "./AnchorPeriod.ts"

/** A period that is closed. */
export const ClosedPeriod = Schema.Struct({
  ...AnchorPeriod.fields,
  /** `anc_` and a UUID: of the anchor that it becomes. */
  id: Schema.String,
  workspaceId: Schema.String,
  /** 1 for a workspace's first, and so on without a gap. */
  ordinal: Schema.Number,
  firstSequence: Schema.Number,
  lastSequence: Schema.Number,
  /** Lower-case hexadecimal, as the next two. */
  firstEventHash: Schema.String,
  lastEventHash: Schema.String,
  merkleRoot: Schema.String
})
export type ClosedPeriod = typeof ClosedPeriod.Type

/** An anchor as it is stored. */
export interface StoredAnchor extends ClosedPeriod {
  readonly status: "pending" | "submitted" | "confirmed"
  /** Null for a workspace's first. */
  readonly previousAnchorHash: string | null
  readonly createdAt: Micros
  /** The chain that it is for; null when none was configured as it was made. */
  readonly chainId: number | null
  /** Null until it travels. */
  readonly submissionId: string | null
  /**
   * Of the transaction that was confirmed. It is kept when the chain drops its block: the next anchor may
   * have named it.
   */
  readonly place: TransactionPlace | null
}

/** Events that no period holds yet. */
export interface Unanchored extends OpenPeriod {
  readonly workspaceId: string
  /** Of the period that they will be in. */
  readonly ordinal: number
  readonly firstSequence: number
  /** `created_at` of the head. */
  readonly lastCreatedAt: Micros
  /** The workspace's own; null for the service's. */
  readonly schedule: AnchorSchedule | null
}

/** A closed period, and the anchor that it follows. */
export interface RipePeriod {
  readonly period: ClosedPeriod
  /** Null for a workspace's first. */
  readonly previous: { readonly merkleRoot: string; readonly txHash: string | null } | null
}

/** A period becomes an anchor. */
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

/** Anchors that travel together. */
export interface Submission {
  /** A UUID. */
  readonly id: string
  readonly chainId: number
  /** Address that signed, `0x` and 40 lower-case hexadecimal characters. */
  readonly account: string
  /** Whether its anchors are confirmed. */
  readonly confirmed: boolean
  /** The transaction that was confirmed, even if its block has gone since; else null. */
  readonly confirmedHash: string | null
  /** In the order of signing; at least one. */
  readonly transactions: ReadonlyArray<StoredTransaction>
}

/**
 * Contract:
 *
 * - What a call returned is durable, and done in whole or not at all, in whatever process and however many at
 *   a time: of two that close the same period, create the same anchor, submit the same anchors or take the
 *   same nonce, one does it and the other changes nothing.
 * - `raiseFloor` waits for an append that is going on. When it returns, nothing that is sequenced later is
 *   dated before `floor`, so the events dated before it are all there.
 * - A period's ordinal follows that of the workspace's last one, and it begins with the event after that
 *   one's last.
 * - An anchor's root, period, number, hash of the one before and time never change; its status and place do,
 *   as each call says.
 */
export interface AnchorsShape {
  /** Workspaces that have events which no period holds, each with the first of them. */
  readonly unanchored: Effect.Effect<ReadonlyArray<Unanchored>, StorageUnavailable>
  /** The same of one workspace; none when every event is in a period. */
  readonly unanchoredOf: (workspaceId: string) => Effect.Effect<Option.Option<Unanchored>, StorageUnavailable>
  readonly raiseFloor: (
    floors: ReadonlyArray<{ readonly workspaceId: string; readonly floor: Micros }>
  ) => Effect.Effect<void, StorageUnavailable>
  /** Stores closed periods; answers how many. One whose place is taken is left out. */
  readonly close: (periods: ReadonlyArray<ClosedPeriod>) => Effect.Effect<number, StorageUnavailable>
  /**
   * Periods whose turn it is: each the oldest of its workspace that is no anchor, after an anchor that is
   * confirmed or has no chain.
   */
  readonly ripe: (limit: number) => Effect.Effect<ReadonlyArray<RipePeriod>, StorageUnavailable>
  /** Makes anchors of periods; answers how many. One that is an anchor already stays as it is. */
  readonly create: (anchors: ReadonlyArray<AnchorCreation>) => Effect.Effect<number, StorageUnavailable>
  /**
   * Pending anchors that are for a chain, stand for a period that ended by `endedBy`, and travel in no
   * transaction yet, oldest first.
   */
  readonly unsubmitted: (
    chainId: number,
    endedBy: Micros,
    limit: number
  ) => Effect.Effect<ReadonlyArray<StoredAnchor>, StorageUnavailable>
  /** The first nonce after those that the account's unsettled submissions hold; 0 when there are none. */
  readonly nextNonce: (chainId: number, account: string) => Effect.Effect<number, StorageUnavailable>
  /** The first nonce after all that were ever signed for; 0 when none was. */
  readonly signedUpTo: (chainId: number, account: string) => Effect.Effect<number, StorageUnavailable>
  /**
   * Stores a submission with its first transaction; false if one of the anchors travels already or the nonce
   * is taken.
   */
  readonly submit: (
    submission: Pick<Submission, "id" | "chainId" | "account">,
    transaction: StoredTransaction,
    anchorIds: ReadonlyArray<string>
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** Stores a further transaction of a submission; false if another submission holds its nonce. */
  readonly addTransaction: (
    submissionId: string,
    transaction: StoredTransaction
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** Submissions on a chain that are not settled, oldest first. */
  readonly unsettled: (chainId: number) => Effect.Effect<ReadonlyArray<Submission>, StorageUnavailable>
  /** The submission's anchors that are pending are submitted now. */
  readonly markSent: (submissionId: string) => Effect.Effect<void, StorageUnavailable>
  /** The submission's anchors are confirmed at this place; settled, nothing more will be asked about it. */
  readonly confirm: (
    submissionId: string,
    place: TransactionPlace,
    settled: boolean
  ) => Effect.Effect<void, StorageUnavailable>
  /** The block of a confirmed submission has gone: its anchors are submitted again. */
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
  /** Anchors that hold any of the events of a range of sequences, both ends included, oldest first. */
  readonly over: (
    workspaceId: string,
    from: number,
    to: number
  ) => Effect.Effect<ReadonlyArray<StoredAnchor>, StorageUnavailable>
  /** The anchors that travel in a submission. */
  readonly carriedBy: (submissionId: string) => Effect.Effect<ReadonlyArray<StoredAnchor>, StorageUnavailable>
  /** Every transaction that was signed for a submission. */
  readonly transactions: (
    submissionId: string
  ) => Effect.Effect<ReadonlyArray<StoredTransaction>, StorageUnavailable>
}

/** The anchors. */
export class Anchors extends Context.Service<Anchors, AnchorsShape>()("@cairn/core/Anchors") {}
