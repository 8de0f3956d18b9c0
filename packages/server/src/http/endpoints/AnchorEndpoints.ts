/** Anchors: listed, read, verified, and closed on demand. */
import type { ClosedPeriodView } from "@cairn/api"
import { AnchorReader, type ClosedPeriod } from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import { Effect, Option } from "effect"
import { AnchorRequests } from "../../thread/AnchorRequests.ts"
import type { Endpoint } from "../gate/Endpoint.ts"
import { jsonAnswer } from "../plumbing/Answer.ts"
import { ApiError } from "../plumbing/ApiError.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { readQuery } from "../plumbing/QueryParameters.ts"

const view = (period: ClosedPeriod): ClosedPeriodView => ({
  id: period.id,
  merkle_root: period.merkleRoot,
  events_count: period.lastSequence - period.firstSequence + 1,
  period_start: Micros.formatSeconds(period.start),
  period_end: Micros.formatSeconds(period.end),
  status: "pending"
})

/** The anchor, or 404. */
const found = <A>(anchor: Option.Option<A>) =>
  Effect.fromOption(anchor).pipe(
    Effect.mapError(() => new ApiError({ code: "not_found", message: "There is no such anchor" }))
  )

/** The endpoints, by their names in the contract. */
export const makeAnchorEndpoints = Effect.gen(function* () {
  const reader = yield* AnchorReader
  const requests = yield* AnchorRequests

  const listAnchors: Endpoint = Effect.fnUntraced(function* ({ query, identity }) {
    const { limit } = yield* readQuery(query, (parameters) => ({ limit: parameters.limit() }))
    const found = yield* reader.list(identity.workspaceId, limit + 1)
    return jsonAnswer({ data: found.slice(0, limit), has_more: found.length > limit })
  }, asApiError)

  const closePeriod: Endpoint = Effect.fnUntraced(function* ({ identity }) {
    const closed = yield* requests.close(identity.workspaceId)
    return jsonAnswer({ data: Option.getOrNull(Option.map(closed, view)) }, 202)
  }, asApiError)

  const getAnchor: Endpoint = Effect.fnUntraced(function* ({ id, identity }) {
    const anchor = yield* reader.get(identity.workspaceId, id)
    return jsonAnswer({ data: yield* found(anchor) })
  }, asApiError)

  const verifyAnchor: Endpoint = Effect.fnUntraced(function* ({ id, identity }) {
    const verification = yield* requests.verify(identity.workspaceId, id)
    return jsonAnswer({ data: yield* found(verification) })
  }, asApiError)

  return { listAnchors, closePeriod, getAnchor, verifyAnchor }
})
