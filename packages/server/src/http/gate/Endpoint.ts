/** What an endpoint is given, and what it gives. */
import type { ServerResponse } from "node:http"
import type { Micros } from "@cairn/core/encoding"
import type { ViewerScope } from "@cairn/core/event"
import type { Person, Session } from "@cairn/core/people"
import { retentionStart } from "@cairn/core/workspace"
import type { Effect, Exit, Tracer } from "effect"
import type { Answer } from "../plumbing/Answer.ts"
import type { ApiError } from "../plumbing/ApiError.ts"
import type { DomainError } from "../plumbing/DomainErrors.ts"
import type { ClientAddress } from "./ClientAddress.ts"
import type { Identity } from "./Identity.ts"
import type { WorkspaceProfile } from "./WorkspaceDirectory.ts"

/** A request that was let in. */
export interface AuthorizedRequest {
  readonly response: ServerResponse
  /** The target's part after the question mark. */
  readonly query: string
  /** The text of the body; empty where the contract has none. */
  readonly body: string
  /** The `:id` of the path, where it has one. */
  readonly id: string
  readonly address: ClientAddress
  readonly identity: Identity
  /** What the bearer of a viewer token may see; null for keys and members, who see everything. */
  readonly viewer: ViewerScope | null
  readonly profile: WorkspaceProfile
  /**
   * Looks whether it would still be admitted, for an answer that goes on and on. That counts nothing, and is
   * no use of a session.
   */
  readonly stillAdmitted: () => Effect.Effect<unknown, ApiError>
  /** When it was admitted, with its body there, as `ClockGuard.reckoned` returns it. */
  readonly now: Micros.Micros
  /** The span of a request that is traced. */
  readonly span: Tracer.AnySpan | undefined
}

/** The address for a record; null where it is none, as over a Unix socket. */
export const addressOf = ({ ip, text }: ClientAddress): string | null => (ip === undefined ? null : text)

/** What an endpoint of the contract does. */
export type Endpoint = (request: AuthorizedRequest) => Effect.Effect<Answer, ApiError>

/**
 * What an endpoint does without an Effect. Returns false if it cannot, and has done nothing then. `done` is
 * called once, at once or later, with what makes the answer or a failure of the core.
 */
export type PromptEndpoint = (
  request: AuthorizedRequest,
  done: (exit: () => Exit.Exit<Answer, DomainError>) => void
) => boolean

/** Those that can, by their names in the contract. */
export type PromptEndpoints = Readonly<Record<"ingest" | "ingestBatch", PromptEndpoint>>

/** A request by a person who has signed in, about the person and no workspace. */
export interface PersonRequest extends Pick<AuthorizedRequest, "query" | "id" | "address" | "now"> {
  readonly session: Session
  readonly person: Person
}

/** What an endpoint about a person does. */
export type PersonEndpoint = (request: PersonRequest) => Effect.Effect<Answer, ApiError>

/** A request for what a signed link gives to anyone. */
export type LinkedRequest = Pick<AuthorizedRequest, "query" | "id" | "address" | "now">

/** What an endpoint does for a signed link, which it checks itself. */
export type LinkEndpoint = (request: LinkedRequest) => Effect.Effect<Answer, ApiError>

/** The beginning of the workspace's retention window; null when nothing expires. */
export const visibleFrom = ({
  profile,
  now
}: Pick<AuthorizedRequest, "profile" | "now">): Micros.Micros | null => retentionStart(profile.workspace, now)
