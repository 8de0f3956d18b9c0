/** What is kept beside a log of how far it has come: a log that ends before one of them was cut off. */
import { Effect, Option } from "effect"
import { Anchors } from "../anchor/Anchors.ts"
import { Checkpoints } from "../checkpoint/Checkpoints.ts"
import { signedRecords } from "../checkpoint/SignedMemory.ts"
import { EMPTY_HEAD, type EventLogShape } from "../log/EventLog.ts"

/** Something beside the log that knows how far it has come. */
export interface Witness {
  /** The log has had an event with this sequence. */
  readonly sequence: number
  /** That event's hash; null when it is not known. */
  readonly eventHash: string | null
}

/**
 * Reads how far the log has come by the newest checkpoint and anchor, and by what is remembered apart from
 * the log to have been signed, where their stores are there when this is built. With them, up to which event
 * the log is accepted to be lost, or 0: what was known of it before, up to there, is no witness.
 */
export const witnessReader = Effect.gen(function* () {
  const checkpoints = Option.getOrUndefined(yield* Effect.serviceOption(Checkpoints))
  const anchors = Option.getOrUndefined(yield* Effect.serviceOption(Anchors))
  const signed = yield* signedRecords
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
    return { witnesses, lostUpTo: remembered?.lost === true ? remembered.size : 0 }
  })
})

/**
 * The head of a log that is verified. Where there is none that can be read, it knows of no event, and each is
 * one too many.
 */
export const headOf = (log: Pick<EventLogShape, "storedHead">, workspaceId: string) =>
  Effect.map(
    log.storedHead(workspaceId),
    Option.getOrElse(() => EMPTY_HEAD)
  )

/** The witness that knows of most. */
export const furthestWitness = (first: Witness, others: ReadonlyArray<Witness>): Witness =>
  others.reduce((a, b) => (b.sequence > a.sequence ? b : a), first)
