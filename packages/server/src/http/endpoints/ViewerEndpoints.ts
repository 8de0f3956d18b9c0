/** Viewer tokens, the key that signs them, and how the viewer tells events. */
import { createHash } from "node:crypto"
import { ViewerKeyRotation, type ViewerToken, type ViewerTokenAlias, ViewerTokenInput } from "@cairn/api"
import { Micros } from "@cairn/core/encoding"
import { decodeStrictly } from "@cairn/core/event"
import { ViewerKeyManagement } from "@cairn/core/management"
import { scopeOf, VIEWER_TTL } from "@cairn/core/workspace"
import { Effect } from "effect"
import { permissionChallenge } from "../gate/Challenge.ts"
import type { AuthorizedRequest, Endpoint } from "../gate/Endpoint.ts"
import type { Identity } from "../gate/Identity.ts"
import { jsonAnswer, jsonTextAnswer } from "../plumbing/Answer.ts"
import { ApiError } from "../plumbing/ApiError.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { decodeBody, manager } from "./ManagementRequest.ts"

const decodeInput = decodeStrictly(ViewerTokenInput)
const decodeRotation = decodeStrictly(ViewerKeyRotation)

/** The seconds of a token: none is longer than the access of who asks for it. */
const ttlWithin = ({ until }: Identity, ttl: number, now: Micros.Micros): number =>
  until === undefined ? ttl : Math.max(1, Math.min(ttl, Math.floor((until - now) / Micros.SECOND)))

/** The endpoints, by their names in the contract. */
export const makeViewerEndpoints = Effect.gen(function* () {
  const keys = yield* ViewerKeyManagement
  const issue = Effect.fnUntraced(function* (request: AuthorizedRequest) {
    const { identity, now } = request
    const { tenant_id, actor_id, ttl, export: mayExport = false } = yield* decodeBody(request, decodeInput)
    if (mayExport && !identity.allows("exports:create")) {
      return yield* new ApiError({
        code: "insufficient_scope",
        message: `export: the ${identity.lacks("exports:create")} ${scopeOf("exports:create")}, and gives no more than it has`,
        headers: permissionChallenge("exports:create")
      })
    }
    const tenantId = tenant_id ?? null
    const actorId = actor_id ?? null
    const { token, expiresAt } = yield* keys.issue(manager(request), identity.workspaceId, {
      tenantId,
      actorId,
      ttl: ttlWithin(identity, ttl ?? VIEWER_TTL.default, now),
      mayExport
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

  const getViewerSettings: Endpoint = ({ profile }) =>
    Effect.sync(() => {
      const { sentences = {} } = profile.workspace.viewer ?? {}
      const body = JSON.stringify({ data: { sentences } })
      const etag = `"${createHash("sha256").update(body).digest("base64url")}"`
      return { ...jsonTextAnswer(body), headers: { etag } }
    })

  return { getViewerSettings, createViewerToken, createViewerTokenAlias, rotateViewerKey }
})
