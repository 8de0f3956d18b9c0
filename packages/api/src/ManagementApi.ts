/** The endpoints for a workspace's settings and its API keys, for keys with the scope `admin`. */

import { Page } from "@cairn/core/log"
import { Usage, WorkspaceSettings } from "@cairn/core/workspace"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { BODY_ERRORS, CONFLICT, INVALID_PARAMETER, NOT_FOUND, VALIDATION_FAILED } from "./ErrorBody.ts"
import {
  ApiKeyInput,
  ApiKeyView,
  CreatedApiKey,
  RotatedViewerKey,
  ViewerKeyRotation,
  WorkspacePatch
} from "./Management.ts"
import { describeLimit, PAGE_BOUNDS, pageParameters } from "./Parameters.ts"

const data = <S extends Schema.Top>(schema: S) => Schema.Struct({ data: schema })
const keyId = { id: Schema.String.annotate({ description: "The key's id, `key_…`" }) }

const getWorkspace = HttpApiEndpoint.get("getWorkspace", "/api/v1/workspace", {
  success: data(WorkspaceSettings).annotate({ description: "The workspace" })
}).annotateMerge(OpenApi.annotations({ summary: "Get the workspace's settings" }))

const updateWorkspace = HttpApiEndpoint.patch("updateWorkspace", "/api/v1/workspace", {
  payload: WorkspacePatch,
  success: data(WorkspaceSettings).annotate({ description: "The workspace as it is now" }),
  error: [...BODY_ERRORS, VALIDATION_FAILED]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Change the workspace's settings",
    description:
      "Fields that are left out stay. `ip_allowlist`, `viewer_frame_ancestors`, `anchor_schedule` and `viewer` are replaced as a whole. The plan and its " +
      "limits are shown, and are the operator's to change. A shorter `retention_days` takes effect after seven days, unless the operator says " +
      "otherwise: until then nothing is hidden or removed, and setting it back calls it off. The allowlist " +
      "holds from the next request on, for the one who changed it too: a list without one's own address is undone with " +
      "`cairn workspace update`."
  })
)

const getUsage = HttpApiEndpoint.get("getUsage", "/api/v1/usage", {
  success: data(Usage).annotate({ description: "This month's figures" })
}).annotateMerge(
  OpenApi.annotations({
    summary: "Get what was used of the plan",
    description:
      "Events and exports of the calendar month (UTC), and how many there may be; null is unlimited."
  })
)

const rotateViewerKey = HttpApiEndpoint.post("rotateViewerKey", "/api/v1/workspace/viewer-key/rotate", {
  payload: ViewerKeyRotation,
  success: data(RotatedViewerKey).annotate({ description: "The new key's id" }),
  error: [...BODY_ERRORS, VALIDATION_FAILED, CONFLICT]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Replace the key that signs viewer tokens",
    description:
      "With `revoke`, for a key that has leaked, every server refuses the tokens of older keys within seconds. Without it at most ten " +
      "keys of a workspace count at once."
  })
)

const listApiKeys = HttpApiEndpoint.get("listApiKeys", "/api/v1/api-keys", {
  query: pageParameters,
  success: Page(ApiKeyView).annotate({ description: "A page of API keys" }),
  error: INVALID_PARAMETER
}).annotateMerge(
  OpenApi.annotations({
    summary: "List API keys, newest first",
    description: "Revoked keys are listed too.",
    transform: describeLimit(PAGE_BOUNDS)
  })
)

const createApiKey = HttpApiEndpoint.post("createApiKey", "/api/v1/api-keys", {
  payload: ApiKeyInput,
  success: data(CreatedApiKey)
    .annotate({ description: "The key and its secret" })
    .pipe(HttpApiSchema.status(201)),
  error: [...BODY_ERRORS, VALIDATION_FAILED, CONFLICT]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Create an API key",
    description:
      "`data.key` is the secret. It is shown this once; a lost key is revoked and replaced. A workspace has at most 100 keys that are " +
      "neither revoked nor expired. Nobody gives a scope beyond the own ones, nor an end after the own one."
  })
)

const getApiKey = HttpApiEndpoint.get("getApiKey", "/api/v1/api-keys/:id", {
  params: keyId,
  success: data(ApiKeyView).annotate({ description: "The key, without its secret" }),
  error: NOT_FOUND
}).annotateMerge(OpenApi.annotations({ summary: "Get one API key" }))

const revokeApiKey = HttpApiEndpoint.delete("revokeApiKey", "/api/v1/api-keys/:id", {
  params: keyId,
  success: data(ApiKeyView).annotate({ description: "The key with the time of its revocation" }),
  error: NOT_FOUND
}).annotateMerge(
  OpenApi.annotations({
    summary: "Revoke an API key",
    description:
      "Every server refuses the key within seconds. It stays listed, and revoking it again changes nothing."
  })
)

/** Settings and keys. */
export class ManagementApi extends HttpApiGroup.make("management")
  .add(
    getWorkspace,
    updateWorkspace,
    rotateViewerKey,
    getUsage,
    listApiKeys,
    createApiKey,
    getApiKey,
    revokeApiKey
  )
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({
      title: "Management",
      description: "Every change made here is itself an event in the workspace's log"
    })
  ) {}
