/** Records outside a log of how far it has grown: a log that ends before one of them was cut off. */
import { Effect, Option } from "effect"
import { Anchors } from "../anchor/Anchors.ts"
import { Checkpoints } from "../checkpoint/Checkpoints.ts"
import { acceptedUpTo, signedRecords } from "../checkpoint/SignedMemory.ts"
import { EMPTY_HEAD, type EventLogShape } from "../log/EventLog.ts"
import { SeenEnds } from "../log/SeenEnds.ts"

/** Something outside the log that states how far it has grown. */
export interface Witness {
  /** The log had an event with this sequence. */
  readonly sequence: number
  /** That event's hash; null if it is not known. */
  readonly eventHash: string | null
}

/**
 * Reads how far the log has grown according to the newest checkpoint and anchor, and to what is recorded
 * outside the log as signed, and to what this process has seen, if their stores are available when this is
 * built. Also reads the sequence up to which a loss of the log was accepted, or 0: witnesses from before that
 * loss do not count up to there.
 */
export const witnessReader = Effect.gen(function* () {
  const checkpoints = Option.getOrUndefined(yield* Effect.serviceOption(Checkpoints))
  const anchors = Option.getOrUndefined(yield* Effect.serviceOption(Anchors))
  const signed = yield* signedRecords
  const ends = Option.getOrUndefined(yield* Effect.serviceOption(SeenEnds))
  return Effect.fnUntraced(function* (workspaceId: string) {
    const witnesses: Array<Witness> = []
    if (checkpoints !== undefined) {
      const newest = yield* checkpoints.newest(workspaceId)
      if (Option.isSome(newest)) witnesses.push({ sequence: newest.value.size, eventHash: null })
    }
    if (anchors !== undefined) {
      for (const { lastSequence, lastEventHash } of yield* anchors.list(workspaceId, 1)) {
        witnesses.push({ sequence: lastSequence, eventHash: lastEventHash })
      }
    }
    const remembered = yield* signed.read(workspaceId)
    if (remembered !== undefined && !remembered.lost) {
      witnesses.push({ sequence: remembered.size, eventHash: remembered.event_hash })
    }
    const lostUpTo = acceptedUpTo(remembered)
    const seen = ends?.of(workspaceId)
    if (seen !== undefined && seen.sequence > lostUpTo) witnesses.push(seen)
    return { witnesses, lostUpTo }
  })
})

/**
 * The head of a log that is verified. If no head can be read, it states no events, so every event is one too
 * many.
 */
export const headOf = (log: Pick<EventLogShape, "storedHead">, workspaceId: string) =>
  Effect.map(
    log.storedHead(workspaceId),
    Option.getOrElse(() => EMPTY_HEAD)
  )

/** The witness with the highest sequence. */
export const furthestWitness = (first: Witness, others: ReadonlyArray<Witness>): Witness =>
  others.reduce((a, b) => (b.sequence > a.sequence ? b : a), first)
