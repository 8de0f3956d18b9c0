/** Checkpoints, their consistency, and proofs of events. */
import { type Consistency, MAX_PROOFS, ProofsInput } from "@cairn/api"
import {
  Checkpoints,
  Cursor,
  EventProofs,
  EventProver,
  InvalidInput,
  isInScope,
  knownMembers,
  LogCheckpoints,
  type Page,
  type ProvenEvent,
  parseContent,
  type SignedCheckpointView,
  StrictJson,
  signedCheckpointView,
  toHex,
  type ViewerScope
} from "@cairn/core"
import { Effect, Schema } from "effect"
import { jsonAnswer } from "./Answer.ts"
import { ApiError } from "./ApiError.ts"
import { readJsonText } from "./Body.ts"
import { asApiError } from "./DomainErrors.ts"
import { type Endpoint, visibleFrom } from "./Endpoint.ts"
import { UUID } from "./EventEndpoints.ts"
import { readQuery } from "./QueryParameters.ts"

/** Most bytes of a list of ids. */
const MAX_BODY_BYTES = 16 * 1024

const encodeProofs = Schema.encodeSync(EventProofs)

const isProofsInput = Schema.is(ProofsInput)

const invalid = (path: string, reason: string) => new InvalidInput({ path, reason })

const unknownInInput = knownMembers(ProofsInput)

/** The ids of a body, in lower case, each once. */
const readIds = (body: unknown): Effect.Effect<ReadonlyArray<string>, InvalidInput> => {
  const unknown = unknownInInput(body)
  if (unknown !== undefined) return Effect.fail(unknown)
  if (!isProofsInput(body)) return Effect.fail(invalid("ids", "must be a list of event ids"))
  if (body.ids.length === 0 || body.ids.length > MAX_PROOFS) {
    return Effect.fail(invalid("ids", `must have from 1 to ${MAX_PROOFS} ids`))
  }
  const ids = body.ids.map((id) => id.toLowerCase())
  const wrong = ids.findIndex((id) => !UUID.test(id))
  return wrong < 0
    ? Effect.succeed(Array.from(new Set(ids)))
    : Effect.fail(invalid(`ids[${wrong}]`, "must be a UUID"))
}

/** Whether whoever asks may see the proof of an event. Nobody can tell whose an event without content was. */
const isShown = ({ content }: ProvenEvent, viewer: ViewerScope | null): boolean => {
  if (viewer === null) return true
  const parsed = content === null ? undefined : parseContent(JSON.stringify(content))
  return parsed !== undefined && isInScope(parsed, viewer)
}

/** The proofs of those events that whoever asks may see. */
const shownTo = (proofs: EventProofs, viewer: ViewerScope | null): EventProofs => ({
  ...proofs,
  events: proofs.events.filter((event) => isShown(event, viewer))
})

/** The endpoints, by their names in the contract. */
export const makeProofEndpoints = Effect.gen(function* () {
  const checkpoints = yield* LogCheckpoints
  const prover = yield* EventProver
  const store = yield* Checkpoints

  const checkpoint: Endpoint = Effect.fnUntraced(function* ({ identity }) {
    const { note } = yield* checkpoints.current(identity.workspaceId)
    return { status: 200, body: note, contentType: "text/plain; charset=utf-8" }
  }, asApiError)

  const listCheckpoints: Endpoint = Effect.fnUntraced(function* ({ query, identity }) {
    const { before, limit } = yield* readQuery(query, (parameters) => ({
      before: parameters.cursor(),
      limit: parameters.limit()
    }))
    const { workspaceId } = identity
    const found = yield* store.publishedPage(workspaceId, { before, limit: limit + 1 })
    const total = yield* store.publishedCount(workspaceId)
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    const page: Page<SignedCheckpointView> = {
      data: shown.map((one) => signedCheckpointView(workspaceId, one)),
      pagination: {
        has_more: last !== undefined,
        next_cursor: last === undefined ? null : Cursor.encode(last.size),
        total
      }
    }
    return jsonAnswer(page)
  }, asApiError)

  const checkpointConsistency: Endpoint = Effect.fnUntraced(function* ({ query, identity }) {
    const { from, to } = yield* readQuery(query, (parameters) => ({
      from: parameters.size("from"),
      to: parameters.size("to")
    }))
    const proof = yield* checkpoints.consistency(identity.workspaceId, from, to).pipe(
      Effect.catchTag("SizesOutOfRange", () =>
        Effect.fail(
          new ApiError({
            code: "invalid_parameter",
            message: "to: must be at least `from`, and no more than the log has events"
          })
        )
      )
    )
    const data: Consistency = {
      first_size: proof.firstSize,
      second_size: proof.secondSize,
      hashes: proof.hashes.map(toHex)
    }
    return jsonAnswer({ data })
  }, asApiError)

  const eventProof: Endpoint = Effect.fnUntraced(function* ({ id, identity, viewer, profile }) {
    const eventId = id.toLowerCase()
    const { workspaceId } = identity
    const proofs = UUID.test(eventId)
      ? yield* prover.prove({
          workspaceId,
          eventIds: [eventId],
          visibleFrom: yield* visibleFrom(profile)
        })
      : undefined
    const [event] = proofs === undefined ? [] : encodeProofs(shownTo(proofs, viewer)).events
    if (proofs === undefined || event === undefined) {
      return yield* new ApiError({
        code: "not_found",
        message: "There is no such event in the chain; one that was just accepted takes a moment"
      })
    }
    return jsonAnswer({ ...event, checkpoint: proofs.checkpoint })
  }, asApiError)

  const eventProofs: Endpoint = Effect.fnUntraced(function* ({
    message,
    response,
    identity,
    viewer,
    profile
  }) {
    const body = yield* Effect.flatMap(readJsonText(message, response, MAX_BODY_BYTES), (text) =>
      Effect.fromResult(StrictJson.parse(text))
    )
    const proofs = yield* prover.prove({
      workspaceId: identity.workspaceId,
      eventIds: yield* readIds(body),
      visibleFrom: yield* visibleFrom(profile)
    })
    return jsonAnswer(encodeProofs(shownTo(proofs, viewer)))
  }, asApiError)

  return { checkpoint, listCheckpoints, checkpointConsistency, eventProof, eventProofs }
})
