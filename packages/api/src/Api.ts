/**
 * The HTTP contract, declared once: the server's routes, the OpenAPI document and the typed client all derive
 * from it.
 */
import { Context } from "effect"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup, OpenApi } from "effect/http-api"
import { AlertApi, AlertRuleApi } from "./AlertApi.ts"
import { AnchorApi } from "./AnchorApi.ts"
import { Access, RequiredScope } from "./Authorization.ts"
import { EventApi } from "./EventApi.ts"
import { ExportApi } from "./ExportApi.ts"
import { HealthApi } from "./HealthApi.ts"
import { LogStreamApi } from "./LogStreamApi.ts"
import { ManagementApi } from "./ManagementApi.ts"
import { MemberApi } from "./MemberApi.ts"
import { type Json, member, type Place } from "./OpenDocument.ts"
import { withEveryError, withSharedErrors } from "./OpenErrors.ts"
import { withExamples } from "./OpenExamples.ts"
import { withHeaders } from "./OpenHeaders.ts"
import { withDescribedParameters } from "./OpenParameters.ts"
import { withOpenSchemas } from "./OpenSchemas.ts"
import { type Permission, withSecurity } from "./OpenSecurity.ts"
import { withDiscriminators } from "./OpenUnions.ts"
import { ProofApi } from "./ProofApi.ts"
import { ViewerApi } from "./ViewerApi.ts"
import { DeliveryApi, WebhookApi } from "./WebhookApi.ts"

const groups = [
  EventApi,
  AnchorApi,
  ProofApi,
  ExportApi,
  ViewerApi,
  AlertApi,
  AlertRuleApi,
  WebhookApi,
  DeliveryApi,
  MemberApi,
  LogStreamApi,
  ManagementApi,
  HealthApi
] as const

/** What each operation asks of its caller, by its method and path. */
const permissions: ReadonlyMap<string, Permission> = new Map(
  groups.flatMap((group) =>
    Object.values(group.endpoints).map(({ method, path, annotations }) => [
      `${method.toLowerCase()} ${path.replace(/:(\w+)/g, "{$1}")}`,
      { scope: Context.get(annotations, RequiredScope), access: Context.get(annotations, Access) }
    ])
  )
)

const permissionOf = ({ method, path }: Place): Permission =>
  permissions.get(`${method} ${path}`) ?? { scope: null, access: "key" }

/** Whom to ask: nobody knows them but whoever runs the server. */
const CONTACT = { name: "The operator of this server" }

/** What the generator of the document leaves out or says less exactly than the server does. */
const exact = (document: Json): Json => ({
  ...withSecurity(
    withSharedErrors(
      withHeaders(
        withEveryError(withExamples(withDescribedParameters(withDiscriminators(withOpenSchemas(document)))))
      )
    ),
    permissionOf
  ),
  info: { ...member(document, "info"), contact: CONTACT }
})

/** The contract. */
export class Api extends HttpApi.make("cairn")
  .add(...groups)
  .annotateMerge(
    OpenApi.annotations({
      title: "Cairn",
      version: "1",
      transform: (document) => ({ ...document, ...exact(document) }),
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      description: [
        "An audit log that a third party can check without trusting whoever runs it.",
        "Every response carries `X-Request-Id`: the request's own when it has a sane one. Where a rate limit applies, " +
          "`RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10) say where the workspace stands.",
        "Errors are `{ error, message }`, where `error` is one of a stable list of codes. With " +
          "`Accept: application/problem+json` they come in the form of RFC 9457, with both as extension members."
      ].join("\n\n")
    })
  ) {}

type Groups = (typeof Api)["groups"]

/** The name of an endpoint of the contract. */
export type EndpointName = HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<Groups[keyof Groups]>>

/** The name of an endpoint that only supervisors call: it takes no key. */
export type HealthEndpointName = HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<Groups["health"]>>
