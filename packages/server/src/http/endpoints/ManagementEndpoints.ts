/** The workspace's settings and its API keys. */
import { ApiKeyInput, type ApiKeyView, WorkspacePatch } from "@cairn/api"
import { Micros, parseNetwork } from "@cairn/core/encoding"
import { decodeStrictly, InvalidInput, unlessInvalid } from "@cairn/core/event"
import {
  ApiKeyManagement,
  expiryFault,
  UsageReader,
  WorkspaceManagement,
  workspaceView
} from "@cairn/core/management"
import { type ApiKey, ApiKeys, liftedRestriction } from "@cairn/core/workspace"
import { Effect, Option, Predicate } from "effect"
import { Authenticator } from "../gate/Authenticator.ts"
import { isWithin } from "../gate/ClientAddress.ts"
import type { AuthorizedRequest, Endpoint } from "../gate/Endpoint.ts"
import { WorkspaceDirectory } from "../gate/WorkspaceDirectory.ts"
import { createdAnswer, jsonAnswer } from "../plumbing/Answer.ts"
import { ApiError } from "../plumbing/ApiError.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { readQuery } from "../plumbing/QueryParameters.ts"
import { collectionPage, decodeBody, manager } from "./ManagementRequest.ts"

const decodePatch = decodeStrictly(WorkspacePatch)
const decodeKeyInput = decodeStrictly(ApiKeyInput)

/** A new key; that its end is past is named beside all else that is wrong. */
const decodeKey = (now: Micros.Micros) => (body: unknown) => {
  const expiry = Predicate.isObject(body) && "expires_at" in body ? body.expires_at : undefined
  const fault = typeof expiry === "string" ? expiryFault(expiry, now) : undefined
  return unlessInvalid(decodeKeyInput(body), fault)
}

/** How an allowlist is lifted. */
const EVERY_ADDRESS = "for every address give 0.0.0.0/0 and ::/0"

/** Shown to the workspace, and changed by the operator alone. */
const OPERATORS = ["plan", "overrides", "limits"] as const

/** A change of a workspace; what is the operator's to change is named beside all else that is wrong. */
const decodeChange = (body: unknown) => {
  if (!Predicate.isObject(body)) return decodePatch(body)
  const members = Object.entries(body)
  const refused = OPERATORS.filter((name) => Object.hasOwn(body, name)).map(
    (path) =>
      new InvalidInput({
        path,
        reason:
          "is the operator's to change, by cairn workspace update; a workspace sets its own retention_days"
      })
  )
  const others = members.filter(([name]) => !OPERATORS.some((one) => one === name))
  return unlessInvalid(decodePatch(Object.fromEntries(others)), ...refused)
}

const moment = (micros: number | null): string | null => (micros === null ? null : Micros.format(micros))

const keyView = (key: ApiKey): ApiKeyView => ({
  id: key.id,
  prefix: `cairn_${key.public_id}`,
  name: key.name,
  scopes: key.scopes,
  created_by: key.created_by,
  created_at: Micros.format(key.created_at),
  last_used_at: moment(key.last_used_at),
  expires_at: moment(key.expires_at),
  revoked_at: moment(key.revoked_at)
})

/** Fails for a list that would shut out the person who sends it. */
const checkOwnAddress = (
  { identity, address }: Pick<AuthorizedRequest, "identity" | "address">,
  allowlist: ReadonlyArray<string>
) => {
  const networks = allowlist.map(parseNetwork).filter((network) => network !== undefined)
  if (identity.type !== "member" || networks.length === 0 || isWithin(address, networks)) return Effect.void
  const reason = `must hold your own address, ${address.text}, or you would be shut out`
  return Effect.fail(new InvalidInput({ path: "ip_allowlist", reason }))
}

/** The endpoints, by their names in the contract. */
export const makeManagementEndpoints = Effect.gen(function* () {
  const keys = yield* ApiKeys
  const keyManagement = yield* ApiKeyManagement
  const workspaceManagement = yield* WorkspaceManagement
  const usage = yield* UsageReader
  const authenticator = yield* Authenticator
  const directory = yield* WorkspaceDirectory

  const getWorkspace: Endpoint = ({ profile, now }) =>
    Effect.succeed(jsonAnswer({ data: workspaceView(profile.workspace, now) }))

  const updateWorkspace: Endpoint = Effect.fnUntraced(function* (request) {
    const { workspaceId } = request.identity
    const patch = yield* decodeBody(request, decodeChange)
    const lifted = liftedRestriction(patch, ["ip_allowlist"], request.profile.workspace, EVERY_ADDRESS)
    if (lifted !== null) return yield* lifted
    yield* checkOwnAddress(request, patch.ip_allowlist ?? [])
    const workspace = yield* workspaceManagement.update(manager(request), workspaceId, patch)
    directory.forget(workspaceId)
    return jsonAnswer({ data: workspaceView(workspace, request.now) })
  }, asApiError)

  const getUsage: Endpoint = Effect.fnUntraced(function* ({ identity }) {
    const used = yield* usage.read(identity.workspaceId)
    if (Option.isNone(used)) {
      return yield* new ApiError({ code: "not_found", message: "There is no such workspace" })
    }
    return jsonAnswer({ data: used.value })
  }, asApiError)

  const listApiKeys: Endpoint = Effect.fnUntraced(function* ({ query, identity }) {
    const page = yield* readQuery(query, (parameters) => ({
      before: parameters.cursor(),
      limit: parameters.limit()
    }))
    return jsonAnswer(collectionPage(yield* keys.list(identity.workspaceId), page, keyView))
  }, asApiError)

  const createApiKey: Endpoint = Effect.fnUntraced(function* (request) {
    const { name, scopes, expires_at } = yield* decodeBody(request, decodeKey(request.now))
    const { stored, key } = yield* keyManagement.create(manager(request), {
      workspaceId: request.identity.workspaceId,
      name: name ?? null,
      scopes,
      expiresAt: expires_at ?? null
    })
    return createdAnswer({ ...keyView(stored), key })
  }, asApiError)

  const getApiKey: Endpoint = Effect.fnUntraced(function* ({ id, identity }) {
    const key = yield* keys.get(identity.workspaceId, id)
    if (Option.isNone(key)) {
      return yield* new ApiError({ code: "not_found", message: "There is no such API key" })
    }
    return jsonAnswer({ data: keyView(key.value) })
  }, asApiError)

  const revokeApiKey: Endpoint = Effect.fnUntraced(function* (request) {
    const key = yield* keyManagement.revoke(manager(request), request.identity.workspaceId, request.id)
    authenticator.forget(key.id)
    return jsonAnswer({ data: keyView(key) })
  }, asApiError)

  return { getWorkspace, updateWorkspace, getUsage, listApiKeys, createApiKey, getApiKey, revokeApiKey }
})
