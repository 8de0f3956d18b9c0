/** Proving events: each with its inclusion proof to the root of one signed checkpoint. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { toAnchorDetail } from "../anchor/AnchorReader.ts"
import { Anchors } from "../anchor/Anchors.ts"
import { makePeriodTrees } from "../anchor/PeriodTrees.ts"
import { type CheckpointError, LogCheckpoints } from "../checkpoint/LogCheckpoints.ts"
import { LogTree } from "../checkpoint/LogTree.ts"
import * as Micros from "../encoding/Micros.ts"
import { contentSize, makePace } from "../encoding/Pace.ts"
import * as StrictJson from "../encoding/StrictJson.ts"
import { isContent } from "../event/EventContent.ts"
import { isInScope, type ViewerScope } from "../event/ViewerScope.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { EventLog, type LogEntry } from "../log/EventLog.ts"
import { type EventProofs, ProvenEvent } from "./EventProof.ts"

/** The events to prove. */
export const ProofRequest = Schema.Struct({
  workspaceId: Schema.String,
  eventIds: Schema.Array(Schema.String),
  /** The retention window begins here; null when nothing expires. */
  visibleFrom: Schema.NullOr(Schema.Number)
})
export type ProofRequest = typeof ProofRequest.Type

/** Proofs in JSON, under one checkpoint. */
export const ProofTexts = Schema.Struct({
  /** A signed note. */
  checkpoint: Schema.String,
  /** One `ProvenEvent` an event, in the requested order. */
  events: Schema.Array(Schema.String)
})
export type ProofTexts = typeof ProofTexts.Type

/** The use case *prove*. */
interface EventProverShape {
  /**
   * The proofs of those events that are in the chain and within the retention window, in the requested order.
   * An event that is not sequenced yet, or came before the chain, has no proof. Costs O(log n) reads an event
   * and, the first time for the period of an anchor, a pass over its hashes. Large contents are parsed in
   * turns of the event loop, see `Pace`.
   */
  readonly prove: (request: ProofRequest) => Effect.Effect<EventProofs, CheckpointError>
  /**
   * The same as JSON, for those events that a viewer may see, or for all if that is null. A content is
   * written in the same turn in which it is parsed.
   */
  readonly texts: (
    request: ProofRequest,
    viewer: ViewerScope | null
  ) => Effect.Effect<ProofTexts, CheckpointError>
}

const isJsonObject = (value: unknown): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * The content as a value. Throws if somebody changed it to something that is not a content; no proof fits
 * that.
 */
const readContent = ({ id, content }: LogEntry): Schema.JsonObject | null => {
  if (content === null) return null
  const value = StrictJson.parseText(content)
  if (!isJsonObject(value)) throw new Error(`the content of event ${id} is no JSON object`)
  return value
}

/**
 * The content as JSON; undefined if the viewer may not see it. If a content was removed, it is not known
 * whose event it was.
 */
const contentFor =
  (viewer: ViewerScope | null) =>
  (event: LogEntry): string | undefined => {
    const content = readContent(event)
    const isShown = viewer === null || (isContent(content) && isInScope(content, viewer))
    return isShown ? JSON.stringify(content) : undefined
  }

/** The event as its proof shows it, without its content. */
const shown = (
  workspaceId: string,
  event: LogEntry,
  { inclusion, anchored }: Pick<ProvenEvent, "inclusion" | "anchored">
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
  content: null,
  salt: event.content === null ? null : event.salt,
  inclusion,
  anchored
})

const encodeEvent = Schema.encodeSync(ProvenEvent)

/**
 * The proof as JSON, with its content already written. No schema encodes the content: that would take several
 * times as long as writing it.
 */
const proofText = (proof: ProvenEvent, content: string): string => {
  const { header, content: _, ...rest } = encodeEvent(proof)
  return `{"header":${JSON.stringify(header)},"content":${content},${JSON.stringify(rest).slice(1)}`
}

/** Proving, from a log, its tree and its checkpoints. */
export class EventProver extends Context.Service<EventProver, EventProverShape>()("@cairn/core/EventProver") {
  static readonly layer = Layer.effect(
    EventProver,
    Effect.gen(function* () {
      const log = yield* EventLog
      const tree = yield* LogTree
      const checkpoints = yield* LogCheckpoints
      const anchors = yield* Anchors
      const pace = makePace()
      const periods = makePeriodTrees(tree, yield* Sha256)

      const find = Effect.fnUntraced(function* (
        workspaceId: string,
        eventId: string,
        visibleFrom: Micros.Micros | null
      ) {
        const entry = Option.getOrUndefined(yield* log.get(workspaceId, eventId))
        if (entry === undefined || entry.sequence < 1) return []
        if (visibleFrom !== null && entry.createdAt < visibleFrom) return []
        const [stored] = yield* log.entries(workspaceId, entry.sequence, 1)
        return stored?.id === eventId ? [stored] : []
      })

      const anchoredOf = Effect.fnUntraced(function* (workspaceId: string, sequence: number) {
        const [anchor] = yield* anchors.over(workspaceId, sequence, sequence)
        if (anchor === undefined) return null
        const { leafIndex, hashes } = yield* periods.inclusion(anchor, sequence)
        return { anchor: toAnchorDetail(anchor), leaf_index: leafIndex, hashes }
      })

      const prove = Effect.fn("EventProver.prove")(function* <Content, Proof>(
        { workspaceId, eventIds, visibleFrom }: ProofRequest,
        read: (event: LogEntry) => Content | undefined,
        write: (proof: ProvenEvent, content: Content) => Proof
      ) {
        const found = (yield* Effect.forEach(eventIds, (id) => find(workspaceId, id, visibleFrom))).flat()
        // Signed after the events were read, so that it covers them all.
        const { note, size } = yield* checkpoints.current(workspaceId)
        const contents = yield* pace.map(found, contentSize, read)
        const events: Array<Proof> = []
        for (const [index, event] of found.entries()) {
          const content = contents[index]
          if (content === undefined) continue
          const { hashes: inclusion } = yield* tree
            .inclusion(workspaceId, event.sequence, size)
            .pipe(Effect.catchTag("LeafOutOfRange", Effect.die))
          const anchored = yield* anchoredOf(workspaceId, event.sequence)
          events.push(write(shown(workspaceId, event, { inclusion, anchored }), content))
        }
        return { checkpoint: note, events }
      })

      return EventProver.of({
        prove: (request) => prove(request, readContent, (proof, content) => ({ ...proof, content })),
        texts: (request, viewer) => prove(request, contentFor(viewer), proofText)
      })
    })
  )
}
