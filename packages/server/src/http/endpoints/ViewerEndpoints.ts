/** Viewer tokens and the key that signs them. */
import { ViewerKeyRotation, type ViewerToken, type ViewerTokenAlias, ViewerTokenInput } from "@cairn/api"
import { decodeStrictly, hasAtMost, InvalidInput, MAX_IDENTIFIER, textFault } from "@cairn/core/event"
import { ViewerKeyManagement } from "@cairn/core/management"
import { VIEWER_TTL, ViewerTokens } from "@cairn/core/workspace"
import { Effect } from "effect"
import type { AuthorizedRequest, Endpoint } from "../gate/Endpoint.ts"
import { jsonAnswer } from "../plumbing/Answer.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { decodeBody, manager } from "./ManagementRequest.ts"

const decodeInput = decodeStrictly(ViewerTokenInput)
const decodeRotation = decodeStrictly(ViewerKeyRotation)

/** A restriction as an event could have it; one that none could have is a mistake of the caller's. */
const restriction = (name: string, value: string | undefined) => {
  if (value === undefined) return Effect.succeed(null)
  const reason = hasAtMost(value, MAX_IDENTIFIER)
    ? textFault(value, { least: 0, most: MAX_IDENTIFIER })
    : `must have 1 to ${MAX_IDENTIFIER} characters`
  return reason === undefined ? Effect.succeed(value) : Effect.fail(new InvalidInput({ path: name, reason }))
}

/** The endpoints, by their names in the contract. */
export const makeViewerEndpoints = Effect.gen(function* () {
  const tokens = yield* ViewerTokens
  const keys = yield* ViewerKeyManagement

  const issue = Effect.fnUntraced(function* (request: AuthorizedRequest) {
    const { tenant_id, actor_id, ttl } = yield* decodeBody(request, decodeInput)
    const tenantId = yield* restriction("tenant_id", tenant_id)
    const actorId = yield* restriction("actor_id", actor_id)
    const { token, expiresAt } = yield* tokens.issue(request.identity.workspaceId, {
      tenantId,
      actorId,
      ttl: ttl ?? VIEWER_TTL.default
    })
    const answer: ViewerToken = { token, expires_at: expiresAt, tenant_id: tenantId, actor_id: actorId }
    return answer
  })

  const createViewerToken: Endpoint = Effect.fnUntraced(function* (request) {
    return jsonAnswer(yield* issue(request))
  }, asApiError)

  const createViewerTokenAlias: Endpoint = Effect.fnUntraced(function* (request) {
    const issued = yield* issue(request)
    const answer: ViewerTokenAlias = { viewer_token: issued.token, ...issued }
    return jsonAnswer(answer)
  }, asApiError)

  const rotateViewerKey: Endpoint = Effect.fnUntraced(function* (request) {
    const { revoke = false } = yield* decodeBody(request, decodeRotation)
    const id = yield* keys.rotate(manager(request), request.identity.workspaceId, { revoke })
    return jsonAnswer({ data: { id } })
  }, asApiError)

  return { createViewerToken, createViewerTokenAlias, rotateViewerKey }
})
