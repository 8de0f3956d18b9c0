/**
 * The HTTP contract, declared once: the server's routes, the OpenAPI document and the typed client all derive
 * from it.
 */
import { Context } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { GROUPS } from "./ApiGroups.ts"
import { Access } from "./Authorization.ts"
import { permissionFor } from "./EndpointPermissions.ts"
import { type Json, member, type Place } from "./OpenDocument.ts"
import { withEveryError, withSharedErrors } from "./OpenErrors.ts"
import { withExamples } from "./OpenExamples.ts"
import { withHeaders } from "./OpenHeaders.ts"
import { withDescribedParameters } from "./OpenParameters.ts"
import { withOpenSchemas } from "./OpenSchemas.ts"
import { type Asked, withSecurity } from "./OpenSecurity.ts"
import { withDiscriminators } from "./OpenUnions.ts"

/** What each operation asks of its caller, by its method and path. */
const asked: ReadonlyMap<string, Asked> = new Map(
  GROUPS.flatMap((group) =>
    Object.values(group.endpoints).map(({ identifier, method, path, annotations }) => [
      `${method.toLowerCase()} ${path.replace(/:(\w+)/g, "{$1}")}`,
      { permission: permissionFor(identifier), access: Context.get(annotations, Access) }
    ])
  )
)

const askedOf = ({ method, path }: Place): Asked =>
  asked.get(`${method} ${path}`) ?? { permission: null, access: "anyone" }

/** Whom to ask: only the operator of the server knows them. */
const CONTACT = { name: "The operator of this server" }

/** What the generator of the document leaves out or says less exactly than the server does. */
const exact = (document: Json): Json => ({
  ...withSecurity(
    withSharedErrors(
      withHeaders(
        withEveryError(withExamples(withDescribedParameters(withDiscriminators(withOpenSchemas(document)))))
      )
    ),
    askedOf
  ),
  info: { ...member(document, "info"), contact: CONTACT }
})

/** The contract. */
export class Api extends HttpApi.make("cairn")
  .add(...GROUPS)
  .annotateMerge(
    OpenApi.annotations({
      title: "Cairn",
      version: "1",
      transform: (document) => ({ ...document, ...exact(document) }),
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      description: [
        "An audit log that a third party can check without trusting its operator.",
        "Every response carries `X-Request-Id`: the request's own when it has a sane one. Where a rate limit applies, " +
          "`RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10) say where the workspace stands.",
        "Errors are `{ error, message }`, where `error` is one of a stable list of codes. With " +
          "`Accept: application/problem+json` they come in the form of RFC 9457, with both as extension members."
      ].join("\n\n")
    })
  ) {}
