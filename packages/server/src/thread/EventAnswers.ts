/**
 * Events and their proofs as the text of a response. They are written where they are read, on the log thread:
 * the main thread passes them on unchanged, and parses none.
 */
import type { CheckpointError } from "@cairn/core/checkpoint"
import { isInScope, ViewerScope } from "@cairn/core/event"
import {
  type CountRequest,
  EventPagination,
  EventReader,
  ListRequest,
  type StorageUnavailable
} from "@cairn/core/log"
import { EventProver, ProofRequest, type ProofTexts } from "@cairn/core/proof"
import { Context, Effect, Layer, Option, Schema } from "effect"

/** Which event to return. */
export const EventRequest = Schema.Struct({
  workspaceId: Schema.String,
  eventId: Schema.String,
  /** The retention window begins here; null when nothing expires. */
  visibleFrom: ListRequest.fields.visibleFrom,
  /** What may be seen; null for everything. */
  viewer: Schema.NullOr(ViewerScope)
})
export type EventRequest = typeof EventRequest.Type

/** Which proofs to return, of those events that the viewer may see; of all for null. */
export const ViewedProofRequest = Schema.Struct({
  ...ProofRequest.fields,
  viewer: Schema.NullOr(ViewerScope)
})
export type ViewedProofRequest = typeof ViewedProofRequest.Type

/** A page of so many events, each as JSON, and these as one list. */
export const ListAnswer = Schema.Struct({
  data: Schema.String,
  length: Schema.Number,
  pagination: EventPagination
})
export type ListAnswer = typeof ListAnswer.Type

/** The responses. */
export interface EventAnswersShape {
  /** An event in JSON; none unless there is one that may be seen. */
  readonly get: (request: EventRequest) => Effect.Effect<Option.Option<string>, StorageUnavailable>
  /** A page of events, which are JSON. */
  readonly list: (request: ListRequest) => Effect.Effect<ListAnswer, StorageUnavailable>
  /** How many events such a list has on all pages. Interrupting it ends the counting. */
  readonly count: (request: CountRequest) => Effect.Effect<number, StorageUnavailable>
  /** The proofs of those events that the viewer may see; of all for null. */
  readonly prove: (request: ViewedProofRequest) => Effect.Effect<ProofTexts, CheckpointError>
}

/** Responses as text, written in turns of the event loop if contents are large. */
export class EventAnswers extends Context.Service<EventAnswers, EventAnswersShape>()(
  "@cairn/server/EventAnswers"
) {
  static readonly layer = Layer.effect(
    EventAnswers,
    Effect.gen(function* () {
      const reader = yield* EventReader
      const prover = yield* EventProver
      return EventAnswers.of({
        get: ({ workspaceId, eventId, visibleFrom, viewer }) =>
          Effect.map(reader.get(workspaceId, eventId, visibleFrom), (found) =>
            found.pipe(
              Option.filter((event) => viewer === null || isInScope(event, viewer)),
              Option.map((event) => JSON.stringify(event))
            )
          ),
        list: (request) =>
          Effect.map(reader.texts(request), ({ data, pagination }) => ({
            data: `[${data.join(",")}]`,
            length: data.length,
            pagination
          })),
        count: reader.count,
        prove: ({ viewer, ...request }) => prover.texts(request, viewer)
      })
    })
  )
}
