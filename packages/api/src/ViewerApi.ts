/** The endpoints for viewer tokens, which let a browser read the events of one tenant or actor. */
import { FieldSchemas as Field } from "@cairn/core/encoding"
import { restriction, VIEWER_TTL, ViewerSettings } from "@cairn/core/workspace"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Access, Authorization } from "./Authorization.ts"
import { BODY_ERRORS, VALIDATION_FAILED } from "./ErrorBody.ts"

/** What a token is to allow. */
export const ViewerTokenInput = Schema.Struct({
  tenant_id: restriction("Only this tenant's events; every tenant's where it is left out"),
  actor_id: restriction("Only this actor's events; every actor's where it is left out"),
  ttl: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween(
        { minimum: VIEWER_TTL.minimum, maximum: VIEWER_TTL.maximum },
        { expected: `${VIEWER_TTL.minimum} to ${VIEWER_TTL.maximum} seconds` }
      )
    ).annotate({ description: `Lifetime in seconds; ${VIEWER_TTL.default} unless given` })
  ),
  export: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "Whether it also exports what it shows, by `GET /api/v1/events/export`; false unless given. Who makes such a token must be allowed to " +
        "export: a key needs the scope `export`"
    })
  )
}).annotate({ identifier: "ViewerTokenInput", description: "What a token is to allow" })
export type ViewerTokenInput = typeof ViewerTokenInput.Type

const token = Field.text("A JWT (HS256), for `Authorization: Bearer …` or the page at `/viewer`")

const expiresAt = Schema.Int.annotate({ description: "When it ends, in Unix seconds", minimum: 0 })

/** What a token is restricted to. */
const restrictedTo = {
  tenant_id: Schema.NullOr(Schema.String).annotate({
    description: "The only tenant whose events it shows; null for every one"
  }),
  actor_id: Schema.NullOr(Schema.String).annotate({
    description: "The only actor whose events it shows; null for every one"
  })
}

/** A token. */
export const ViewerToken = Schema.Struct({
  token,
  expires_at: expiresAt,
  ...restrictedTo
}).annotate({ identifier: "ViewerToken", description: "A viewer token" })
export type ViewerToken = typeof ViewerToken.Type

/** A token under both of its names. */
export const ViewerTokenAlias = Schema.Struct({
  viewer_token: token,
  token: Field.text("The same token"),
  expires_at: expiresAt,
  ...restrictedTo
}).annotate({ identifier: "ViewerTokenAlias", description: "A viewer token under both of its names" })
export type ViewerTokenAlias = typeof ViewerTokenAlias.Type

const createViewerToken = HttpApiEndpoint.post("createViewerToken", "/api/v1/viewer-token", {
  payload: ViewerTokenInput,
  success: ViewerToken.annotate({ description: "The token and when it ends" }),
  error: [...BODY_ERRORS, VALIDATION_FAILED]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Create a viewer token",
    description:
      "A JWT (HS256) for the page at `/viewer`, or for a client of your own. It reads events, their proofs, their histogram and their values within its " +
      "restriction, and nothing else; with `export` it may also export them. It works from any address and has a rate limit of its own. A restriction is left out or given; null and an empty " +
      "string are refused, so that an id that was missing does not lift it."
  })
)

const createViewerTokenAlias = HttpApiEndpoint.post("createViewerTokenAlias", "/api/v1/viewer-tokens", {
  payload: ViewerTokenInput,
  success: ViewerTokenAlias.annotate({ description: "The token, by both names, and when it ends" }),
  error: [...BODY_ERRORS, VALIDATION_FAILED]
}).annotateMerge(OpenApi.annotations({ summary: "Create a viewer token; the same by another name" }))

const getViewerSettings = HttpApiEndpoint.get("getViewerSettings", "/api/v1/viewer/settings", {
  success: Schema.Struct({ data: ViewerSettings }).annotate({ description: "The workspace's own sentences" })
})
  .annotate(Access, "key_or_viewer")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Get how the viewer tells events",
      description:
        "The sentences that the workspace has set (`viewer` of `PATCH /api/v1/workspace`); none where it has set none. It says nothing of the " +
        "log, and reading it is not recorded."
    })
  )

/** Viewer tokens. */
export class ViewerApi extends HttpApiGroup.make("viewer")
  .add(createViewerToken, createViewerTokenAlias, getViewerSettings)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({ title: "Viewer tokens", description: "For readers outside the workspace" })
  ) {}
