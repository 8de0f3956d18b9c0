/**
 * The HTTP contract, declared once: the server's routes, the OpenAPI document and the typed client all derive from it.
 */
import { BatchInput, ChainVerification, Event, EventInput, Page } from "@cairn/core"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BODY_ERRORS, COMMON_ERRORS, INVALID_PARAMETER, NOT_FOUND } from "./ErrorBody.ts"
import { ApiKeyInput, ApiKeyView, CreatedApiKey, WorkspacePatch, WorkspaceSettings } from "./Management.ts"

const text = Schema.optionalKey(Schema.String)
const data = <S extends Schema.Top>(schema: S) => Schema.Struct({ data: schema })
const accepted = HttpApiSchema.status(202)

/** What became of one event. */
export const Accepted = Schema.Struct({
  id: Schema.String,
  status: Schema.Literals(["queued", "duplicate"])
}).annotate({ identifier: "Accepted" })

/** An item of a batch that was refused; the others were not. */
export const Rejected = Schema.Struct({
  id: Schema.Null,
  status: Schema.Literal("rejected"),
  error: Schema.Literals(["validation_failed", "quota_exceeded"]),
  message: Schema.String
}).annotate({ identifier: "Rejected" })

/** The answer to a batch: one item for each that was submitted, in order. */
export const BatchAccepted = Schema.Struct({
  events: Schema.Array(Schema.Union([Accepted, Rejected]))
}).annotate({
  identifier: "BatchAccepted"
})

const events = HttpApiGroup.make("events").add(
  HttpApiEndpoint.post("ingest", "/api/v1/events", {
    payload: EventInput,
    success: Accepted.pipe(accepted),
    error: [...COMMON_ERRORS, ...BODY_ERRORS]
  }).annotateMerge(OpenApi.annotations({ summary: "Ingest one event" })),
  HttpApiEndpoint.post("ingestBatch", "/api/v1/events/batch", {
    payload: BatchInput,
    success: BatchAccepted.pipe(accepted),
    error: [...COMMON_ERRORS, ...BODY_ERRORS]
  }).annotateMerge(OpenApi.annotations({ summary: "Ingest up to 100 events" })),
  HttpApiEndpoint.get("listEvents", "/api/v1/events", {
    query: {
      action: text,
      actor_id: text,
      resource: text,
      resource_id: text,
      tenant_id: text,
      session_id: text,
      search: text,
      target_type: text,
      target_id: text,
      from: text,
      to: text,
      cursor: text,
      limit: text
    },
    success: Page(Event),
    error: [...COMMON_ERRORS, INVALID_PARAMETER]
  }).annotateMerge(OpenApi.annotations({ summary: "List events, newest first" })),
  HttpApiEndpoint.get("getEvent", "/api/v1/events/:id", {
    params: { id: Schema.String },
    success: Event,
    error: [...COMMON_ERRORS, NOT_FOUND]
  }).annotateMerge(OpenApi.annotations({ summary: "Get one event" }))
)

const verification = HttpApiGroup.make("verification").add(
  HttpApiEndpoint.get("verify", "/api/v1/verify", {
    query: { from: text, to: text, limit: text },
    success: data(ChainVerification),
    error: [...COMMON_ERRORS, INVALID_PARAMETER]
  }).annotateMerge(OpenApi.annotations({ summary: "Verify the event hash chain" }))
)

const management = HttpApiGroup.make("management").add(
  HttpApiEndpoint.get("getWorkspace", "/api/v1/workspace", {
    success: data(WorkspaceSettings),
    error: [...COMMON_ERRORS]
  }).annotateMerge(OpenApi.annotations({ summary: "Get the workspace's settings" })),
  HttpApiEndpoint.patch("updateWorkspace", "/api/v1/workspace", {
    payload: WorkspacePatch,
    success: data(WorkspaceSettings),
    error: [...COMMON_ERRORS, ...BODY_ERRORS]
  }).annotateMerge(OpenApi.annotations({ summary: "Change the workspace's settings" })),
  HttpApiEndpoint.get("listApiKeys", "/api/v1/api-keys", {
    query: { cursor: text, limit: text },
    success: Page(ApiKeyView),
    error: [...COMMON_ERRORS, INVALID_PARAMETER]
  }).annotateMerge(OpenApi.annotations({ summary: "List API keys, newest first" })),
  HttpApiEndpoint.post("createApiKey", "/api/v1/api-keys", {
    payload: ApiKeyInput,
    success: data(CreatedApiKey).pipe(HttpApiSchema.status(201)),
    error: [...COMMON_ERRORS, ...BODY_ERRORS]
  }).annotateMerge(OpenApi.annotations({ summary: "Create an API key; it is shown this once" })),
  HttpApiEndpoint.get("getApiKey", "/api/v1/api-keys/:id", {
    params: { id: Schema.String },
    success: data(ApiKeyView),
    error: [...COMMON_ERRORS, NOT_FOUND]
  }).annotateMerge(OpenApi.annotations({ summary: "Get one API key" })),
  HttpApiEndpoint.delete("revokeApiKey", "/api/v1/api-keys/:id", {
    params: { id: Schema.String },
    success: data(ApiKeyView),
    error: [...COMMON_ERRORS, NOT_FOUND]
  }).annotateMerge(OpenApi.annotations({ summary: "Revoke an API key" }))
)

const health = HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("healthz", "/healthz", { success: Schema.Struct({ status: Schema.Literal("ok") }) }),
  HttpApiEndpoint.get("readyz", "/readyz", {
    success: Schema.Struct({ status: Schema.Literal("ready") }),
    error: COMMON_ERRORS[5]
  })
)

/** The contract. */
export class Api extends HttpApi.make("cairn")
  .add(events, verification, management, health)
  .annotateMerge(
    OpenApi.annotations({
      title: "Cairn",
      version: "1",
      description:
        "An audit log that a third party can check. Every request but the health checks needs `Authorization: Bearer <API key>`."
    })
  ) {}
