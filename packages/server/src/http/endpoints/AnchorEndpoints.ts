/** Anchors: listed, read, verified, and closed on demand. */
import type { ClosedPeriodView } from "@cairn/api"
import { OwedEvents } from "@cairn/core/access"
import { AnchorReader, type ClosedPeriod } from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import { bodyOfChange } from "@cairn/core/management"
import { Effect, Option } from "effect"
import { AnchorRequests } from "../../thread/AnchorRequests.ts"
import { type AuthorizedRequest, addressOf, type Endpoint } from "../gate/Endpoint.ts"
import { jsonAnswer } from "../plumbing/Answer.ts"
import { ApiError } from "../plumbing/ApiError.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { readQuery } from "../plumbing/QueryParameters.ts"
import { manager } from "./ManagementRequest.ts"

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
  const owed = yield* OwedEvents

  const listAnchors: Endpoint = Effect.fnUntraced(function* ({ query, identity }) {
    const { limit } = yield* readQuery(query, (parameters) => ({ limit: parameters.limit() }))
    const found = yield* reader.list(identity.workspaceId, limit + 1)
    return jsonAnswer({ data: found.slice(0, limit), has_more: found.length > limit })
  }, asApiError)

  /**
   * Records that a person has closed a period; afterwards, or there would always be something to close. A
   * program that closes one each hour is not recorded: each of its anchors would be followed by another.
   */
  const recordClosing = Effect.fnUntraced(function* (
    request: AuthorizedRequest,
    { id, firstSequence, lastSequence }: ClosedPeriod
  ) {
    if (request.identity.type !== "member") return
    const { workspaceId } = request.identity
    const event = bodyOfChange(manager(request), {
      action: "cairn.anchor.closed",
      resource: { type: "anchor", id, name: null },
      metadata: { first_sequence: firstSequence, last_sequence: lastSequence }
    })
    const address = addressOf(request.address)
    const body = address === null ? event : { ...event, ip_address: address }
    yield* owed.settled(yield* Effect.fromResult(owed.write({ workspaceId, body, isCounted: true })))
  })

  const closePeriod: Endpoint = Effect.fnUntraced(function* (request) {
    const closed = yield* requests.close(request.identity.workspaceId)
    if (Option.isSome(closed)) yield* recordClosing(request, closed.value)
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
