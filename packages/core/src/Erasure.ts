/**
 * Erasure: contents are removed because privacy law asks for it, at once and wherever Cairn keeps them.
 *
 * What is erased and the event that records it are one transaction a helping. Messages that were delivered, log streams and backups are
 * beyond reach.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { ContentRemoval, MAX_REMOVAL, type RemovedEvent } from "./ContentRemoval.ts"
import { EventCounts } from "./EventCounts.ts"
import { EventLog } from "./EventLog.ts"
import { Exports } from "./Exports.ts"
import * as Micros from "./Micros.ts"
import { Randomness } from "./Randomness.ts"
import { eventsErased } from "./RemovalEvent.ts"
import { removable } from "./Retention.ts"
import { Sequencer } from "./Sequencer.ts"
import { Sha256 } from "./Sha256.ts"
import type { StorageUnavailable } from "./Storage.ts"

/** What is to be erased: single events, or all of which someone is the actor. */
export type ErasureTarget = { readonly eventIds: ReadonlyArray<string> } | { readonly actorId: string }

/** There is nothing to erase: no event of these has content, or there is none. */
export class NothingToErase extends Schema.TaggedError<NothingToErase>()("NothingToErase", {
  workspaceId: Schema.String
}) {}

/** The use case *erase*. */
export class Erasure extends Context.Service<
  Erasure,
  {
    /** Erases for a reason, in the operator's own words, which becomes part of the log. Answers the sequences that were erased. */
    readonly erase: (
      workspaceId: string,
      target: ErasureTarget,
      reason: string
    ) => Effect.Effect<ReadonlyArray<number>, NothingToErase | StorageUnavailable>
  }
>()("@cairn/core/Erasure") {
  static readonly layer = Layer.effect(
    Erasure,
    Effect.gen(function* () {
      const log = yield* EventLog
      const sequencer = yield* Sequencer
      const removal = yield* ContentRemoval
      const exports = yield* Exports
      const counts = yield* EventCounts
      const sha256 = yield* Sha256
      const random = yield* Randomness

      /** What of these sequences can go. */
      const read = Effect.fnUntraced(function* (workspaceId: string, sequences: ReadonlyArray<number>) {
        const rows = yield* Effect.forEach(sequences, (sequence) => log.scan(workspaceId, sequence, 1))
        return removable(
          sha256,
          rows.flat().filter(({ sequence }) => sequences.includes(sequence))
        )
      })

      /** The next helping of what is to be erased; what was erased is not found again. */
      const next = Effect.fnUntraced(function* (workspaceId: string, target: ErasureTarget, done: number) {
        if ("actorId" in target) {
          const filter = { actorId: target.actorId }
          const page = yield* log.page(workspaceId, { filter, before: null, limit: MAX_REMOVAL })
          return yield* read(
            workspaceId,
            page.map(({ sequence }) => sequence)
          )
        }
        const ids = target.eventIds.slice(done, done + MAX_REMOVAL)
        const found = yield* Effect.forEach(ids, (id) => log.get(workspaceId, id))
        return yield* read(
          workspaceId,
          found.flatMap((entry) => (Option.isSome(entry) ? [entry.value.sequence] : []))
        )
      })

      const erase = Effect.fn("Erasure.erase")(function* (
        workspaceId: string,
        target: ErasureTarget,
        reason: string
      ) {
        // What still waits is erased as well, once it has its place.
        while ((yield* sequencer.advance(workspaceId)).count > 0);
        const erased: Array<number> = []
        for (let done = 0; ; done += MAX_REMOVAL) {
          const events: ReadonlyArray<RemovedEvent> = yield* next(workspaceId, target, done)
          const sequences = events.map(({ sequence }) => sequence)
          if (events.length > 0) {
            const record = eventsErased({ workspaceId, sha256, random }, sequences, reason)
            yield* removal.remove(workspaceId, events, record)
            erased.push(...sequences)
          }
          if ("actorId" in target ? events.length === 0 : done + MAX_REMOVAL >= target.eventIds.length) break
        }
        if (erased.length === 0) return yield* new NothingToErase({ workspaceId })
        if ("actorId" in target) yield* removal.forget(workspaceId, target.actorId)
        yield* exports.withdraw(workspaceId, yield* Micros.now)
        counts.forget(workspaceId)
        yield* removal.scrub
        return erased
      })

      return Erasure.of({ erase })
    })
  )
}
