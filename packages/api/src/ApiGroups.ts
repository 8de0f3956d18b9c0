/** The groups of the contract, and the names of their endpoints. */
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { AlertApi, AlertRuleApi } from "./AlertApi.ts"
import { AnchorApi } from "./AnchorApi.ts"
import { EventApi } from "./EventApi.ts"
import { EventStreamApi } from "./EventStreamApi.ts"
import { ExportApi } from "./ExportApi.ts"
import { HealthApi } from "./HealthApi.ts"
import { LogStreamApi } from "./LogStreamApi.ts"
import { ManagementApi } from "./ManagementApi.ts"
import { MemberApi } from "./MemberApi.ts"
import { PersonApi } from "./PersonApi.ts"
import { ProofApi } from "./ProofApi.ts"
import { SessionApi } from "./SessionApi.ts"
import { ViewerApi } from "./ViewerApi.ts"
import { DeliveryApi, WebhookApi } from "./WebhookApi.ts"

/** The groups, in the order of the document. */
export const GROUPS = [
  EventApi,
  EventStreamApi,
  AnchorApi,
  ProofApi,
  ExportApi,
  ViewerApi,
  AlertApi,
  AlertRuleApi,
  WebhookApi,
  DeliveryApi,
  MemberApi,
  SessionApi,
  PersonApi,
  LogStreamApi,
  ManagementApi,
  HealthApi
] as const

/** The name of an endpoint of the contract. */
export type EndpointName = HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<(typeof GROUPS)[number]>>

/** The name of an endpoint that only supervisors call: it takes no key. */
export type HealthEndpointName = HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<typeof HealthApi>>

/** The name of an endpoint about the person who is signed in, which takes a session and no key. */
export type PersonEndpointName = HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<typeof PersonApi>>
