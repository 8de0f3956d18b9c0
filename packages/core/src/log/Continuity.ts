/**
 * Port: whether the store still holds what this process has seen in it. A failover or a restore may set it
 * back while the process runs.
 */
import { Context, Effect, Option, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import { StorageUnavailable } from "./StorageUnavailable.ts"

/** Where a log ended, and in which history of the database. */
const SeenHead = Schema.Struct({
  /** PostgreSQL's timeline; null if it is not known. */
  timeline: Schema.NullOr(Schema.Number),
  /** The last event's sequence; null if nothing is known of the log. */
  sequence: Schema.NullOr(Schema.Number),
  event_hash: Schema.NullOr(Schema.String)
})
type SeenHead = typeof SeenHead.Type

/** Something that was in the store and is missing now. */
export const Loss = Schema.Struct({
  /** The log that lacks it; null if the whole database is behind. */
  workspace_id: Schema.NullOr(Schema.String),
  /** What a process saw. */
  seen: SeenHead,
  /** What is there. */
  found: SeenHead
})
export type Loss = typeof Loss.Type

/** Losses that were accepted together. */
export interface AcceptedLosses {
  /** Its id, which is unique even across restores. */
  readonly acceptance: string
  readonly losses: ReadonlyArray<Loss>
}

const shown = ({ timeline, sequence, event_hash }: SeenHead): string =>
  [
    ...(sequence === null ? [] : [`event ${sequence}${event_hash === null ? "" : ` (${event_hash})`}`]),
    ...(timeline === null ? [] : [`timeline ${timeline}`])
  ].join(" on ")

/** One sentence with both heads. */
export const describeLoss = ({ workspace_id, seen, found }: Loss): string =>
  `${workspace_id === null ? "the database" : `the log of ${workspace_id}`} was seen at ${shown(seen)}, and is now at ${shown(found)}`

/**
 * The store is behind what this process, or another process that has recorded it, has seen in it. Nothing is
 * written until that is resolved.
 */
export class StoreBehind extends Schema.TaggedError<StoreBehind>()("StoreBehind", { loss: Loss }) {
  /** For the operator: what was seen, what is there, and what to do. */
  override get message(): string {
    return `${describeLoss(this.loss)}: this is an older copy of the database, or one that lost its end. Connect to the right one, or see cairn recover`
  }
}

/**
 * Contract:
 *
 * - A process has seen what it appended and every end of a log that it read. While the store does not hold
 *   that, or is in an older history, `check` fails, and so does every operation that accepts or appends.
 * - A loss is recorded in the store when it is noticed, so that every process on that store fails, also after
 *   a restart, until the loss is accepted.
 * - Every loss is recorded: one for each log that has less than this process has seen.
 * - `accept` makes the present log the valid one: every process forgets what it has seen before, except the
 *   greatest size. From then on `lostUpTo` returns it. If a process has seen more than was accepted, it
 *   records that as another loss.
 */
export class Continuity extends Context.Service<
  Continuity,
  {
    readonly check: Effect.Effect<void, StoreBehind | StorageUnavailable>
    /** The losses that were noticed and not accepted. */
    readonly losses: Effect.Effect<ReadonlyArray<Loss>, StorageUnavailable>
    /**
     * The size of a log before a loss that was accepted: no checkpoint signed before was larger. 0 if nothing
     * was lost.
     */
    readonly lostUpTo: (workspaceId: string) => Effect.Effect<number, StorageUnavailable>
    /** Accepts all losses and returns them. */
    readonly accept: (at: Micros) => Effect.Effect<ReadonlyArray<Loss>, StorageUnavailable>
    /** The acceptances that no event in the logs records yet. */
    readonly unrecorded: Effect.Effect<ReadonlyArray<AcceptedLosses>, StorageUnavailable>
    /** Records that the events of an acceptance are written. */
    readonly recorded: (acceptance: string, at: Micros) => Effect.Effect<void, StorageUnavailable>
  }
>()("@cairn/core/Continuity") {}

/**
 * Makes the check that an operation begins with: it fails while the store is behind. For a store that cannot
 * go back in time, it does nothing.
 */
export const makeNotBehind = (operation: string) =>
  Effect.map(
    Effect.serviceOption(Continuity),
    Option.match({
      onNone: (): Effect.Effect<void, StorageUnavailable> => Effect.void,
      onSome: ({ check }) =>
        check.pipe(
          Effect.catchTag("StoreBehind", (cause) => Effect.fail(new StorageUnavailable({ operation, cause })))
        )
    })
  )
