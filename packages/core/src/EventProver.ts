/** Proving events: each with its way to the root of one signed checkpoint. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { toAnchorDetail } from "./AnchorReader.ts"
import { Anchors } from "./Anchors.ts"
import { EventLog, type StoredEvent } from "./EventLog.ts"
import type { EventProofs, ProvenEvent } from "./EventProof.ts"
import { type CheckpointError, LogCheckpoints } from "./LogCheckpoints.ts"
import { LogTree } from "./LogTree.ts"
import * as Micros from "./Micros.ts"
import { makePeriodTrees } from "./PeriodTrees.ts"
import { Sha256 } from "./Sha256.ts"

/** What is to be proven. */
export interface ProofRequest {
  readonly workspaceId: string
  readonly eventIds: ReadonlyArray<string>
  /** The retention window begins here; null when nothing expires. */
  readonly visibleFrom: Micros.Micros | null
}

/** The use case *prove*. */
export interface EventProverShape {
  /**
   * The proofs of those events that are in the chain and within the retention window, in the order asked for. An event that waits for
   * its place, or came before the chain, has none. Costs O(log n) reads an event, and the first time for the period of an anchor a pass
   * over its hashes.
   */
  readonly prove: (request: ProofRequest) => Effect.Effect<EventProofs, CheckpointError>
}

const decodeContent = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.NullOr(Schema.JsonObject)))

/** The event as its proof shows it. */
const shown = (
  workspaceId: string,
  event: StoredEvent,
  inclusion: ProvenEvent["inclusion"],
  anchored: ProvenEvent["anchored"]
): ProvenEvent => ({
  header: {
    content_hash: event.contentHash ?? "",
    created_at: Micros.format(event.createdAt),
    id: event.id,
    previous_event_hash: event.previousEventHash,
    sequence: event.sequence,
    v: 1,
    workspace_id: workspaceId
  },
  content: decodeContent(event.content ?? "null"),
  salt: event.content === null ? null : event.salt,
  inclusion,
  anchored
})

/** Proving over a log, its tree and its checkpoints. */
export class EventProver extends Context.Service<EventProver, EventProverShape>()("@cairn/core/EventProver") {
  static readonly layer = Layer.effect(
    EventProver,
    Effect.gen(function* () {
      const log = yield* EventLog
      const tree = yield* LogTree
      const checkpoints = yield* LogCheckpoints
      const anchors = yield* Anchors
      const periods = makePeriodTrees(tree, yield* Sha256)

      const find = Effect.fnUntraced(function* (
        workspaceId: string,
        eventId: string,
        visibleFrom: Micros.Micros | null
      ) {
        const entry = Option.getOrUndefined(yield* log.get(workspaceId, eventId))
        if (entry === undefined || entry.sequence < 1) return []
        if (visibleFrom !== null && entry.createdAt < visibleFrom) return []
        const [stored] = yield* log.scan(workspaceId, entry.sequence, 1)
        return stored?.id === eventId ? [stored] : []
      })

      const anchoredOf = Effect.fnUntraced(function* (workspaceId: string, sequence: number) {
        const [anchor] = yield* anchors.over(workspaceId, sequence, sequence)
        if (anchor === undefined) return null
        const { leafIndex, hashes } = yield* periods.inclusion(anchor, sequence)
        return { anchor: toAnchorDetail(anchor), leaf_index: leafIndex, hashes }
      })

      const prove = Effect.fn("EventProver.prove")(function* ({
        workspaceId,
        eventIds,
        visibleFrom
      }: ProofRequest) {
        const found = (yield* Effect.forEach(eventIds, (id) => find(workspaceId, id, visibleFrom))).flat()
        // After the events: so it holds them all.
        const { note, size } = yield* checkpoints.current(workspaceId)
        const events = yield* Effect.forEach(found, (event) =>
          Effect.gen(function* () {
            const { hashes } = yield* tree
              .inclusion(workspaceId, event.sequence, size)
              .pipe(Effect.catchTag("LeafOutOfRange", Effect.die))
            return shown(workspaceId, event, hashes, yield* anchoredOf(workspaceId, event.sequence))
          })
        )
        return { checkpoint: note, events }
      })

      return EventProver.of({ prove })
    })
  )
}
