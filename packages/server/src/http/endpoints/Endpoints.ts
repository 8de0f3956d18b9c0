/** What does the work of each endpoint of the contract. */
import {
  type EndpointName,
  type HealthEndpointName,
  type PersonEndpointName,
  READ_FROM_REPLICAS
} from "@cairn/api"
import { Effect, Record } from "effect"
import type { Endpoint, LinkEndpoint } from "../gate/Endpoint.ts"
import { MOST_BYTES, MOST_OTHER_BYTES, makeAnswerBudget } from "../limits/AnswerBudget.ts"
import { countedAnswer } from "../limits/CountedAnswers.ts"
import { type Answer, jsonAnswer } from "../plumbing/Answer.ts"
import type { ApiError } from "../plumbing/ApiError.ts"
import { makePositions } from "../plumbing/Positions.ts"
import { makeAlertEndpoints } from "./AlertEndpoints.ts"
import { makeAnchorEndpoints } from "./AnchorEndpoints.ts"
import { makeEventEndpoints, makePromptEndpoints } from "./EventEndpoints.ts"
import { makeEventExportEndpoint } from "./EventExportEndpoint.ts"
import { makeEventLiveEndpoint } from "./EventLiveEndpoint.ts"
import { makeExportEndpoints } from "./ExportEndpoints.ts"
import { makeLogStreamEndpoints } from "./LogStreamEndpoints.ts"
import { makeManagementEndpoints } from "./ManagementEndpoints.ts"
import { makeMemberEndpoints } from "./MemberEndpoints.ts"
import { makePersonEndpoints } from "./PersonEndpoints.ts"
import { makeProofEndpoints } from "./ProofEndpoints.ts"
import { makeReadiness } from "./Readiness.ts"
import { makeSessionEndpoints } from "./SessionEndpoints.ts"
import { makeViewerEndpoints } from "./ViewerEndpoints.ts"
import { makeWebhookEndpoints } from "./WebhookEndpoints.ts"

/**
 * The endpoints that the gate guards, by their names in the contract: without one of them this does not
 * compile.
 */
export type GuardedEndpoints = Readonly<
  Record<Exclude<EndpointName, HealthEndpointName | PersonEndpointName>, Endpoint>
>

/** The endpoints that supervisors call, by the query of the request. */
export type HealthEndpoints = Readonly<
  Record<HealthEndpointName, (query: string) => Effect.Effect<Answer, ApiError>>
>

/** The endpoints that also take a signed link in place of a key. */
export type LinkedEndpoints = Readonly<Partial<Record<EndpointName, LinkEndpoint>>>

/** What endpoints need beside the use cases. */
interface EndpointsConfig {
  /** The most events that may wait in the inbox, for `/readyz`. */
  readonly inboxCapacity: number
  /** What positions are sealed with, newest first, each the base64 of 32 bytes. */
  readonly secretKeys: ReadonlyArray<string>
}

/** Makes every endpoint. */
export const makeEndpoints = Effect.fnUntraced(function* ({ inboxCapacity, secretKeys }: EndpointsConfig) {
  const exports = yield* makeExportEndpoints
  const budget = yield* makeAnswerBudget(MOST_BYTES)
  const others = yield* makeAnswerBudget(MOST_OTHER_BYTES)
  const made = {
    ...(yield* makeEventEndpoints(budget)),
    ...(yield* makeEventExportEndpoint),
    ...(yield* makeEventLiveEndpoint),
    ...(yield* makeAnchorEndpoints),
    ...(yield* makeProofEndpoints(budget)),
    ...exports.endpoints,
    ...(yield* makeViewerEndpoints),
    ...(yield* makeAlertEndpoints),
    ...(yield* makeWebhookEndpoints),
    ...(yield* makeMemberEndpoints),
    ...(yield* makeSessionEndpoints),
    ...(yield* makeLogStreamEndpoints),
    ...(yield* makeManagementEndpoints)
  } satisfies GuardedEndpoints
  const counted = (name: EndpointName, endpoint: Endpoint) => countedAnswer(others, name, endpoint)
  const positions = yield* makePositions(secretKeys)
  const guarded = Record.map(made, (endpoint, name) =>
    counted(name, READ_FROM_REPLICAS.has(name) ? positions.reading(endpoint) : endpoint)
  )
  const health = {
    healthz: () => Effect.succeed(jsonAnswer({ status: "ok" })),
    readyz: yield* makeReadiness(inboxCapacity)
  } satisfies HealthEndpoints
  const linked: LinkedEndpoints = exports.linked
  const person = yield* makePersonEndpoints
  const prompt = yield* makePromptEndpoints
  return { guarded, positions, prompt, counted, person, health, linked, exportFile: exports.exportFile }
})

/** Every endpoint. */
export type Endpoints = Effect.Success<ReturnType<typeof makeEndpoints>>
