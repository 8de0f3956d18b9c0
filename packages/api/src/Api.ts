/**
 * The HTTP contract, declared once: the server's routes, the OpenAPI document and the typed client all derive
 * from it.
 */
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup, OpenApi } from "effect/http-api"
import { AlertApi, AlertRuleApi } from "./AlertApi.ts"
import { AnchorApi } from "./AnchorApi.ts"
import { EventApi } from "./EventApi.ts"
import { ExportApi } from "./ExportApi.ts"
import { HealthApi } from "./HealthApi.ts"
import { LogStreamApi } from "./LogStreamApi.ts"
import { ManagementApi } from "./ManagementApi.ts"
import { MemberApi } from "./MemberApi.ts"
import { withHeaders } from "./OpenHeaders.ts"
import { withOpenSchemas } from "./OpenSchemas.ts"
import { ProofApi } from "./ProofApi.ts"
import { ViewerApi } from "./ViewerApi.ts"
import { DeliveryApi, WebhookApi } from "./WebhookApi.ts"

/** The contract. */
export class Api extends HttpApi.make("cairn")
  .add(
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
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Cairn",
      version: "1",
      transform: (document) => ({
        ...document,
        ...(withHeaders(withOpenSchemas(document) as typeof document) as typeof document)
      }),
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      description: [
        "An audit log that a third party can check without trusting whoever runs it.",
        "Every response carries `X-Request-Id`: the request's own when it has a sane one. Where a rate limit applies, " +
          "`RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10) say where the workspace stands.",
        "Errors are `{ error, message }`, where `error` is one of a stable list of codes. With " +
          "`Accept: application/problem+json` they come in the form of RFC 9457, with the code as `error`."
      ].join("\n\n")
    })
  ) {}

type Groups = (typeof Api)["groups"]

/** The name of an endpoint of the contract. */
export type EndpointName = HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<Groups[keyof Groups]>>

/** The name of an endpoint that only supervisors call: it takes no key. */
export type HealthEndpointName = HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<Groups["health"]>>
