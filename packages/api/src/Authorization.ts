/** How a request says who it is, and what an endpoint asks of it. */
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { COMMON_ERRORS } from "./ErrorBody.ts"

/**
 * `Authorization: Bearer <API key>`, on every endpoint under `/api/v1`. A browser in which a person has
 * signed in sends its session's cookie in place of it.
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
 * What an endpoint accepts: a key with its scope or a session with a role that has its permission (`key`);
 * in their place a signed link, or a viewer token; a session alone, of whatever workspace (`session`); or
 * anyone.
 */
export type Access = "key" | "key_or_link" | "key_or_viewer" | "session" | "anyone"

/** See {@link Access}. An annotation of endpoints. */
export const Access = Context.Reference<Access>("@cairn/api/Access", { defaultValue: () => "key" })
