/** From the errors of the core to what the client is told. Nothing of a cause leaves the server. */
import type { Rejected } from "@cairn/api"
import type {
  AlertRuleLimitReached,
  ApiKeyNotFound,
  BatchRefused,
  ClockAhead,
  InboxFull,
  InvalidInput,
  LogDamaged,
  LogNotAsSigned,
  MalformedHash,
  MemberExists,
  MissingNode,
  QuotaReached,
  SecretUnreadable,
  StorageUnavailable,
  StrictJson,
  UnknownRuleType,
  WorkspaceNotFound
} from "@cairn/core"
import { Effect } from "effect"
import type { NotFound } from "../management/NotFound.ts"
import type { ReceiverGone } from "../management/WebhookManagement.ts"
import { ApiError, unavailable } from "./ApiError.ts"

type DomainError =
  | AlertRuleLimitReached
  | ApiKeyNotFound
  | BatchRefused
  | ClockAhead
  | InboxFull
  | InvalidInput
  | LogDamaged
  | LogNotAsSigned
  | MalformedHash
  | MemberExists
  | MissingNode
  | QuotaReached
  | NotFound
  | ReceiverGone
  | SecretUnreadable
  | StorageUnavailable
  | StrictJson.MalformedJson
  | UnknownRuleType
  | WorkspaceNotFound

/** A refused item of a batch. */
export const rejection = ({ _tag, message }: InvalidInput | QuotaReached): Rejected => ({
  id: null,
  status: "rejected",
  error: _tag === "QuotaReached" ? "quota_exceeded" : "validation_failed",
  message
})

/** The client's view of one error. */
export const toApiError = (error: DomainError): ApiError => {
  switch (error._tag) {
    case "MalformedJson":
      return new ApiError({ code: "malformed_json", message: `The body is not valid JSON: ${error.detail}` })
    case "InvalidInput":
    case "UnknownRuleType":
      return new ApiError({ code: "validation_failed", message: error.message })
    case "BatchRefused":
      return new ApiError({
        code: "validation_failed",
        message: error.items[0]?.message ?? "Every event is invalid",
        details: { events: error.items.map(rejection) }
      })
    case "QuotaReached":
      return new ApiError({ code: "quota_exceeded", message: error.message })
    case "InboxFull":
      return unavailable("Too many events are waiting to be sequenced; try again shortly", 1)
    case "ClockAhead":
      return unavailable("The server's clock cannot be trusted; events are not accepted", 30)
    case "StorageUnavailable":
      return unavailable("The store is not available; nothing was changed", 2)
    case "LogDamaged":
    case "LogNotAsSigned":
    case "MalformedHash":
    case "MissingNode":
      return unavailable("The log is not what it was; GET /api/v1/verify says where", 60)
    case "SecretUnreadable":
      return unavailable("The key that signs checkpoints cannot be read", 60)
    case "ApiKeyNotFound":
      return new ApiError({ code: "not_found", message: "There is no such API key" })
    case "WorkspaceNotFound":
      return new ApiError({ code: "not_found", message: "There is no such workspace" })
    case "NotFound":
      return new ApiError({ code: "not_found", message: error.message })
    case "AlertRuleLimitReached":
      return new ApiError({
        code: "plan_limit_reached",
        message: `The workspace's plan allows ${error.limit} alert rules, on or off`
      })
    case "ReceiverGone":
      return new ApiError({ code: "conflict", message: error.reason })
    case "MemberExists":
      return new ApiError({ code: "conflict", message: "email: a member has this address already" })
  }
}

/** Tells the operator of what is not the client's doing. */
const report = (error: DomainError): Effect.Effect<void> => {
  switch (error._tag) {
    case "StorageUnavailable":
      return Effect.logError("The store failed").pipe(
        Effect.annotateLogs({ operation: error.operation, cause: String(error.cause) })
      )
    case "LogDamaged":
      return Effect.logError(`No period was closed: ${error.message}`)
    case "LogNotAsSigned":
    case "SecretUnreadable":
      return Effect.logError(`No checkpoint was signed: ${error.message}`)
    case "MalformedHash":
    case "MissingNode":
      return Effect.logError("The log's Merkle tree is damaged").pipe(Effect.annotateLogs({ ...error }))
    default:
      return Effect.void
  }
}

/** Fails with the client's view; what is not the client's doing is logged. */
export const asApiError = <A, E extends DomainError | ApiError, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, ApiError, R> =>
  Effect.catch(effect, (error: DomainError | ApiError) => {
    if (error._tag === "ApiError") return Effect.fail(error)
    return Effect.andThen(report(error), Effect.fail(toApiError(error)))
  })
