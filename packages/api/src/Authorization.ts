/** How a request says who it is, and what an endpoint asks of it. */
import type { Scope } from "@cairn/core/workspace"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { COMMON_ERRORS } from "./ErrorBody.ts"

/**
 * `Authorization: Bearer <API key>`, on every endpoint under `/api/v1`.
 *
 * A declaration: it puts the scheme and the errors into the OpenAPI document and the client's types. A client
 * adds the header itself, as {@link makeClient} does.
 */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()("@cairn/api/Authorization", {
  security: {
    apiKey: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "An API key, `cairn_` and 46 characters")
    )
  },
  error: COMMON_ERRORS
}) {}

/**
 * The scope that a key needs for an endpoint; null where no key is needed. An annotation of endpoints and
 * groups.
 */
export const RequiredScope = Context.Reference<Scope | null>("@cairn/api/RequiredScope", {
  defaultValue: () => null
})

/** What an endpoint accepts in place of a key with its scope: nothing, a signed link, or a viewer token. */
export type Access = "key" | "key_or_link" | "key_or_viewer"

/** See {@link Access}. An annotation of endpoints. */
export const Access = Context.Reference<Access>("@cairn/api/Access", { defaultValue: () => "key" })
