/**
 * Port: whether the store still holds what was seen of it, where it may go back in time under a process: by a
 * failover, or a restore.
 */
import { Context, Effect, Option, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import { StorageUnavailable } from "./StorageUnavailable.ts"

/** Where a log ended, and in which history of the database. */
const SeenHead = Schema.Struct({
  /** PostgreSQL's timeline; null when it is not known. */
  timeline: Schema.NullOr(Schema.Number),
  /** The last event's sequence; null when nothing is known of the log. */
  sequence: Schema.NullOr(Schema.Number),
  event_hash: Schema.NullOr(Schema.String)
})
type SeenHead = typeof SeenHead.Type

/** Something that was there, and is not. */
export const Loss = Schema.Struct({
  /** The log that lacks it; null when the database as a whole is behind. */
  workspace_id: Schema.NullOr(Schema.String),
  /** What a process saw. */
  seen: SeenHead,
  /** What is there. */
  found: SeenHead
})
export type Loss = typeof Loss.Type

/** What was accepted at once. */
export interface AcceptedLosses {
  /** Its name, which no other has, whatever is put back. */
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
 * The store is behind what this process has seen of it, or another process that has told it so. Nothing is
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
 * - What a process appended, or read of where a log ends, it has seen. While the store does not hold it, or
 *   is in an older history, `check` fails, and so does whatever accepts or appends.
 * - A loss that was noticed is noted in the store, so that every process on it refuses, also after a restart,
 *   until it is accepted.
 * - Every loss is noted, of each log that this process has seen more of than is there.
 * - `accept` makes what is there the log: every process forgets what it has seen of it before, but not how
 *   far that went. From the same moment on `lostUpTo` says so. What a process has seen further than what was
 *   accepted is a loss that it notes then.
 */
export class Continuity extends Context.Service<
  Continuity,
  {
    readonly check: Effect.Effect<void, StoreBehind | StorageUnavailable>
    /** Those that were noticed and not accepted. */
    readonly losses: Effect.Effect<ReadonlyArray<Loss>, StorageUnavailable>
    /**
     * How far a log went that something was accepted to be lost of: whatever was signed of it before was no
     * larger. 0 when nothing was lost.
     */
    readonly lostUpTo: (workspaceId: string) => Effect.Effect<number, StorageUnavailable>
    /** Accepts them; answers which those were. */
    readonly accept: (at: Micros) => Effect.Effect<ReadonlyArray<Loss>, StorageUnavailable>
    /** The acceptances that no event in the logs tells of yet. */
    readonly unrecorded: Effect.Effect<ReadonlyArray<AcceptedLosses>, StorageUnavailable>
    /** Notes that the events of an acceptance are written. */
    readonly recorded: (acceptance: string, at: Micros) => Effect.Effect<void, StorageUnavailable>
  }
>()("@cairn/core/Continuity") {}

/**
 * Makes the look that `operation` begins with: it fails while the store is behind. In a store that cannot be
 * it does nothing.
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
