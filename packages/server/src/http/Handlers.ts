/** What each endpoint of the contract does; the order is that of the contract. */

import type { IncomingMessage } from "node:http"
import {
  type ApiKeyInput,
  ApiKeyInput as ApiKeyInputSchema,
  type ApiKeyView,
  WorkspacePatch
} from "@cairn/api"
import {
  Acceptance,
  type AcceptContext,
  type AcceptOutcome,
  type ApiKey,
  ApiKeys,
  ChainVerifier,
  Cursor,
  describeIssue,
  EventReader,
  InvalidInput,
  limitsOf,
  MAX_EVENT_BYTES,
  Micros,
  type Scope,
  StrictJson,
  type Workspace
} from "@cairn/core"
import { Effect, Option, Result, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { ApiKeyManagement } from "../management/ApiKeyManagement.ts"
import type { Manager } from "../management/ManagementEvent.ts"
import { WorkspaceManagement } from "../management/WorkspaceManagement.ts"
import { ApiError } from "./ApiError.ts"
import { Authenticator, type Identity } from "./Authenticator.ts"
import { readJsonText } from "./Body.ts"
import { asApiError, rejection } from "./DomainErrors.ts"
import { eventFilter, readQuery } from "./QueryParameters.ts"
import { WorkspaceDirectory, type WorkspaceProfile } from "./WorkspaceDirectory.ts"

/** A request that was let in. */
export interface AuthorizedRequest {
  readonly message: IncomingMessage
  readonly query: URLSearchParams
  /** The `:id` of the path, where it has one. */
  readonly id: string
  readonly address: string
  readonly identity: Identity
  readonly profile: WorkspaceProfile
}

/** An endpoint: the scope it needs, and what it does. */
export interface Endpoint {
  readonly scope: Scope
  readonly handle: (
    request: AuthorizedRequest
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, ApiError>
}

/** Most bytes of a batch body. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024
const MAX_MANAGEMENT_BYTES = 64 * 1024
const MAX_VERIFY = 1_000_000

const json = (body: unknown, status = 200) =>
  HttpServerResponse.text(JSON.stringify(body), { status, contentType: "application/json" })

const notFound = (what: string) => new ApiError({ code: "not_found", message: `There is no such ${what}` })

const status = ({ id, duplicate }: AcceptOutcome) => ({ id, status: duplicate ? "duplicate" : "queued" })

/** The beginning of the retention window; null when nothing expires. */
const visibleFrom = ({ limits }: WorkspaceProfile): Effect.Effect<Micros.Micros | null> =>
  limits.retention_days === null
    ? Effect.succeed(null)
    : Effect.map(Micros.now, (now) => now - (limits.retention_days ?? 0) * Micros.DAY)

const acceptContext = ({ identity, address, profile }: AuthorizedRequest): Effect.Effect<AcceptContext> =>
  Effect.map(visibleFrom(profile), (keysExpireBefore) => ({
    workspaceId: identity.workspaceId,
    clientAddress: address,
    keysExpireBefore
  }))

const manager = ({ identity, address }: AuthorizedRequest): Manager => ({
  id: identity.keyId,
  name: identity.keyName,
  type: "api_key",
  address
})

/** Reads a management body through its schema. */
const readBody = <A>(
  message: IncomingMessage,
  decode: (value: unknown) => Result.Result<A, Schema.SchemaError>
) =>
  Effect.gen(function* () {
    const text = yield* readJsonText(message, MAX_MANAGEMENT_BYTES)
    const value = yield* Effect.fromResult(StrictJson.parse(text))
    const decoded = decode(value)
    return Result.isSuccess(decoded) ? decoded.success : yield* describeIssue(decoded.failure.issue)
  })

const decodePatch = Schema.decodeUnknownResult(WorkspacePatch)
const decodeKeyInput = Schema.decodeUnknownResult(ApiKeyInputSchema)

const workspaceView = ({ id, name, plan, overrides, ip_allowlist, created_at }: Workspace) => ({
  id,
  name,
  plan,
  limits: limitsOf(plan, overrides),
  overrides,
  ip_allowlist,
  created_at: Micros.format(created_at)
})

const moment = (micros: number | null): string | null => (micros === null ? null : Micros.format(micros))

const keyView = (key: ApiKey): ApiKeyView => ({
  id: key.id,
  prefix: `cairn_${key.public_id}`,
  name: key.name,
  scopes: key.scopes,
  created_at: Micros.format(key.created_at),
  last_used_at: moment(key.last_used_at),
  expires_at: moment(key.expires_at),
  revoked_at: moment(key.revoked_at)
})

/** The endpoints of the contract that need a key, by their names in it. */
export const makeEndpoints = Effect.gen(function* () {
  const acceptance = yield* Acceptance
  const reader = yield* EventReader
  const verifier = yield* ChainVerifier
  const keys = yield* ApiKeys
  const keyManagement = yield* ApiKeyManagement
  const workspaceManagement = yield* WorkspaceManagement
  const authenticator = yield* Authenticator
  const directory = yield* WorkspaceDirectory

  const ingest = Effect.fnUntraced(function* (request: AuthorizedRequest) {
    const body = yield* readJsonText(request.message, MAX_EVENT_BYTES)
    const outcome = yield* acceptance.one(yield* acceptContext(request), body)
    return json(status(outcome), 202)
  }, asApiError)

  const ingestBatch = Effect.fnUntraced(function* (request: AuthorizedRequest) {
    const body = yield* readJsonText(request.message, MAX_BATCH_BYTES)
    const outcomes = yield* acceptance.batch(yield* acceptContext(request), body)
    return json(
      {
        events: outcomes.map((outcome) =>
          outcome instanceof InvalidInput ? rejection(outcome) : status(outcome)
        )
      },
      202
    )
  }, asApiError)

  const listEvents = Effect.fnUntraced(function* ({ query, identity, profile }: AuthorizedRequest) {
    const parameters = yield* readQuery(query, (parameters) => ({
      filter: eventFilter(parameters),
      before: parameters.cursor(),
      limit: parameters.limit()
    }))
    const { workspaceId } = identity
    return json(yield* reader.list({ workspaceId, ...parameters, visibleFrom: yield* visibleFrom(profile) }))
  }, asApiError)

  const getEvent = Effect.fnUntraced(function* ({ id, identity, profile }: AuthorizedRequest) {
    const event = yield* reader.get(identity.workspaceId, id, yield* visibleFrom(profile))
    return Option.isSome(event) ? json(event.value) : yield* notFound("event")
  }, asApiError)

  const verify = Effect.fnUntraced(function* ({ query, identity }: AuthorizedRequest) {
    const { from, to, limit } = yield* readQuery(query, (parameters) => ({
      from: parameters.moment("from"),
      to: parameters.moment("to"),
      limit: parameters.integer("limit", { min: 1, max: MAX_VERIFY, otherwise: 10_000 })
    }))
    const data = yield* verifier.verify({
      workspaceId: identity.workspaceId,
      limit,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to })
    })
    return json({ data })
  }, asApiError)

  const getWorkspace = ({ profile }: AuthorizedRequest) =>
    Effect.succeed(json({ data: workspaceView(profile.workspace) }))

  const updateWorkspace = Effect.fnUntraced(function* (request: AuthorizedRequest) {
    const { workspaceId } = request.identity
    const patch = yield* readBody(request.message, decodePatch)
    const workspace = yield* workspaceManagement.update(manager(request), workspaceId, patch)
    directory.forget(workspaceId)
    return json({ data: workspaceView(workspace) })
  }, asApiError)

  const listApiKeys = Effect.fnUntraced(function* ({ query, identity }: AuthorizedRequest) {
    const { before, limit } = yield* readQuery(query, (parameters) => ({
      before: parameters.cursor(),
      limit: parameters.limit()
    }))
    const all = yield* keys.list(identity.workspaceId)
    const rest = before === null ? all : all.filter((key) => key.created_at < before)
    const shown = rest.slice(0, limit)
    const last = shown.at(-1)
    const more = rest.length > limit && last !== undefined
    return json({
      data: shown.map(keyView),
      pagination: {
        has_more: more,
        next_cursor: more ? Cursor.encode(last.created_at) : null,
        total: all.length
      }
    })
  }, asApiError)

  const createApiKey = Effect.fnUntraced(function* (request: AuthorizedRequest) {
    const input: ApiKeyInput = yield* readBody(request.message, decodeKeyInput)
    const { stored, key } = yield* keyManagement.create(manager(request), {
      workspaceId: request.identity.workspaceId,
      name: input.name ?? null,
      scopes: input.scopes,
      expiresAt: input.expires_at ?? null
    })
    return json({ data: { ...keyView(stored), key } }, 201)
  }, asApiError)

  const getApiKey = Effect.fnUntraced(function* ({ id, identity }: AuthorizedRequest) {
    const key = yield* keys.get(identity.workspaceId, id)
    return Option.isSome(key) ? json({ data: keyView(key.value) }) : yield* notFound("API key")
  }, asApiError)

  const revokeApiKey = Effect.fnUntraced(function* (request: AuthorizedRequest) {
    const key = yield* keyManagement.revoke(manager(request), request.identity.workspaceId, request.id)
    authenticator.forget(key.id)
    return json({ data: keyView(key) })
  }, asApiError)

  return {
    ingest: { scope: "ingest", handle: ingest },
    ingestBatch: { scope: "ingest", handle: ingestBatch },
    listEvents: { scope: "read", handle: listEvents },
    getEvent: { scope: "read", handle: getEvent },
    verify: { scope: "read", handle: verify },
    getWorkspace: { scope: "admin", handle: getWorkspace },
    updateWorkspace: { scope: "admin", handle: updateWorkspace },
    listApiKeys: { scope: "admin", handle: listApiKeys },
    createApiKey: { scope: "admin", handle: createApiKey },
    getApiKey: { scope: "admin", handle: getApiKey },
    revokeApiKey: { scope: "admin", handle: revokeApiKey }
  } satisfies Record<string, Endpoint>
})
