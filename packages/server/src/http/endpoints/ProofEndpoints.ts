/** Checkpoints, their consistency, and proofs of events. */
import { type Consistency, ProofsInput } from "@cairn/api"
import { Checkpoints, LogCheckpoints, type PublishedCheckpoint } from "@cairn/core/checkpoint"
import { decodeStrictly, type InvalidInput } from "@cairn/core/event"
import { toHex } from "@cairn/core/hashing"
import { Cursor, type Page } from "@cairn/core/log"
import { type SignedCheckpointView, signedCheckpointView } from "@cairn/core/note"
import { VerificationStatus } from "@cairn/core/verification"
import { Effect, Result } from "effect"
import { EventAnswers } from "../../thread/EventAnswers.ts"
import { type Endpoint, visibleFrom } from "../gate/Endpoint.ts"
import { type AnswerBudget, wantedBy } from "../limits/AnswerBudget.ts"
import { MAX_PROOF_BYTES } from "../limits/CountedAnswers.ts"
import { jsonAnswer, jsonTextAnswer } from "../plumbing/Answer.ts"
import { ApiError, invalidParameter } from "../plumbing/ApiError.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { readQuery } from "../plumbing/QueryParameters.ts"
import { UUID } from "./EventEndpoints.ts"
import { readBody } from "./ManagementRequest.ts"

const decodeInput = decodeStrictly(ProofsInput)

/** The ids of a body, in lower case, each once. */
const readIds = (body: unknown): Result.Result<ReadonlyArray<string>, InvalidInput> =>
  Result.map(decodeInput(body), ({ ids }) => Array.from(new Set(ids.map((id) => id.toLowerCase()))))

/** A page of what was `found`, which is one more than `limit` if there are more. */
const checkpointPage = (
  found: ReadonlyArray<PublishedCheckpoint>,
  limit: number,
  total: number
): Page<SignedCheckpointView> => {
  const shown = found.slice(0, limit)
  const last = found.length > limit ? shown.at(-1) : undefined
  return {
    data: shown.map((one) => signedCheckpointView(one)),
    pagination: {
      has_more: last !== undefined,
      next_cursor: last === undefined ? null : Cursor.encode(last.size),
      total
    }
  }
}

/** The endpoints of checkpoints. */
const makeCheckpointEndpoints = Effect.gen(function* () {
  const checkpoints = yield* LogCheckpoints
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
    return jsonAnswer(checkpointPage(found, limit, total))
  }, asApiError)

  const checkpointConsistency: Endpoint = Effect.fnUntraced(function* ({ query, identity }) {
    const { from, to } = yield* readQuery(query, (parameters) => ({
      from: parameters.size("from"),
      to: parameters.size("to")
    }))
    const proof = yield* checkpoints
      .consistency(identity.workspaceId, from, to)
      .pipe(
        Effect.catchTag("SizesOutOfRange", () =>
          Effect.fail(invalidParameter("to", "must be at least `from`, and no more than the log has events"))
        )
      )
    const data: Consistency = {
      first_size: proof.firstSize,
      second_size: proof.secondSize,
      hashes: proof.hashes.map(toHex)
    }
    return jsonAnswer({ data })
  }, asApiError)

  return { checkpoint, listCheckpoints, checkpointConsistency }
})

/** The endpoints, by their names in the contract. */
export const makeProofEndpoints = Effect.fnUntraced(function* (budget: AnswerBudget) {
  const events = yield* EventAnswers
  const verification = yield* VerificationStatus

  const getVerification: Endpoint = Effect.fnUntraced(function* ({ identity }) {
    return jsonAnswer({ data: yield* verification.of(identity.workspaceId) })
  }, asApiError)

  const eventProof: Endpoint = Effect.fnUntraced(function* ({ id, identity, viewer, profile, now }) {
    const eventId = id.toLowerCase()
    const { workspaceId } = identity
    const proofs = UUID.test(eventId)
      ? yield* events.prove({
          workspaceId,
          eventIds: [eventId],
          viewer,
          visibleFrom: visibleFrom({ profile, now })
        })
      : undefined
    const event = proofs?.events[0]
    if (proofs === undefined || event === undefined) {
      return yield* new ApiError({
        code: "not_found",
        message: "There is no such event in the chain; one that was just accepted takes a moment"
      })
    }
    return jsonTextAnswer(`${event.slice(0, -1)},"checkpoint":${JSON.stringify(proofs.checkpoint)}}`)
  }, asApiError)

  const eventProofs: Endpoint = Effect.fnUntraced(function* (request) {
    const { identity, viewer, profile, now } = request
    const body = yield* readBody(request)
    const { workspaceId } = identity
    const eventIds = yield* Effect.fromResult(readIds(body))
    const wanted = { workspaceId, eventIds, viewer, visibleFrom: visibleFrom({ profile, now }) }
    const answer = Effect.map(events.prove(wanted), ({ checkpoint, events: proven }) => ({
      body: `{"checkpoint":${JSON.stringify(checkpoint)},"events":[${proven.join(",")}]}`
    }))
    const most = eventIds.length * MAX_PROOF_BYTES
    return jsonTextAnswer((yield* budget.build(wantedBy(request, most), answer)).body)
  }, asApiError)

  return { getVerification, ...(yield* makeCheckpointEndpoints), eventProof, eventProofs }
})
