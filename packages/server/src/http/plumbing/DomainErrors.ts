/** From the errors of the core to the errors of the API. Causes never leave the server. */
import type { Rejected } from "@cairn/api"
import type { TooMuchOwed } from "@cairn/core/access"
import type { AlertRuleLimitReached } from "@cairn/core/alert"
import type { LogDamaged } from "@cairn/core/anchor"
import type { LogNotAsSigned } from "@cairn/core/checkpoint"
import type { StrictJson } from "@cairn/core/encoding"
import { Micros } from "@cairn/core/encoding"
import type { InvalidInput } from "@cairn/core/event"
import type {
  ExportExpired,
  ExportFileMissing,
  ExportNotReady,
  ExportQuotaReached,
  ExportStoreUnavailable,
  LinkRefused,
  TooManyExports
} from "@cairn/core/export"
import type { SecretUnreadable } from "@cairn/core/hashing"
import type {
  BatchRefused,
  ClockAhead,
  InboxFull,
  LogClosed,
  QuotaReached,
  StorageUnavailable,
  StoreBehind
} from "@cairn/core/log"
import type { NotAllowed, NotAMember, NotFound, NotInvited, ReceiverGone } from "@cairn/core/management"
import type { MalformedHash, MissingNode } from "@cairn/core/merkle"
import type { SessionRefused } from "@cairn/core/people"
import type {
  ApiKeyNotFound,
  CollectionFull,
  LastOwner,
  MemberExists,
  TooManyDeparted,
  ViewerTokenRefused,
  WorkspaceNotFound
} from "@cairn/core/workspace"
import { secondsToNextMonth } from "@cairn/core/workspace"
import { Effect } from "effect"
import { storeFailed } from "../../loops/StoreIncidents.ts"
import { permissionChallenge } from "../gate/Challenge.ts"
import { ApiError, overLimit, unavailable } from "./ApiError.ts"

/** The client's input is not valid. */
type InputError = BatchRefused | InvalidInput | StrictJson.MalformedJson

/** A limit of the workspace is reached. */
type LimitError = AlertRuleLimitReached | ExportQuotaReached | QuotaReached | TooManyExports

/** What was requested is missing, not ready yet, removed, or in conflict. */
type StateError =
  | ApiKeyNotFound
  | CollectionFull
  | ExportExpired
  | ExportNotReady
  | LastOwner
  | MemberExists
  | NotFound
  | NotInvited
  | ReceiverGone
  | TooManyDeparted
  | WorkspaceNotFound

/** What was presented in place of an API key is not valid. */
type CredentialError = LinkRefused | SessionRefused | ViewerTokenRefused

/** Somebody who is known may not do this. */
type PermissionError = NotAllowed | NotAMember

/** The service cannot do it now. */
type Unavailability =
  | ClockAhead
  | ExportFileMissing
  | ExportStoreUnavailable
  | InboxFull
  | LogDamaged
  | LogNotAsSigned
  | MalformedHash
  | MissingNode
  | SecretUnreadable
  | StorageUnavailable
  | TooMuchOwed
  | StoreBehind

/** What the core fails with. */
export type DomainError =
  | InputError
  | LimitError
  | StateError
  | CredentialError
  | PermissionError
  | LogClosed
  | Unavailability

const NOT_WHAT_IT_WAS = "The log was altered; GET /api/v1/verify says where"

/** What is wrong with an input, field by field: wrong values, and apart from them unknown members. */
const faultsOf = ({ wrong, unknown }: InvalidInput) => ({
  ...(wrong.length === 0
    ? {}
    : { errors: wrong.map(({ path, reason }) => ({ field: path, message: reason })) }),
  ...(unknown === undefined ? {} : { unknown_fields: unknown })
})

/** A rejected item of a batch. */
export const rejection = (error: InvalidInput | QuotaReached): Rejected => ({
  id: null,
  status: "rejected",
  error: error._tag === "QuotaReached" ? "quota_exceeded" : "validation_failed",
  message: error.message,
  ...(error._tag === "QuotaReached" ? {} : faultsOf(error))
})

const fromInput = (error: InputError): ApiError => {
  switch (error._tag) {
    case "MalformedJson":
      return new ApiError({ code: "malformed_json", message: `The body is not valid JSON: ${error.detail}` })
    case "InvalidInput":
      return new ApiError({
        code: "validation_failed",
        message: error.message,
        details: faultsOf(error)
      })
    case "BatchRefused":
      return new ApiError({
        code: "validation_failed",
        message: error.items[0]?.message ?? "Every event is invalid",
        details: { events: error.items.map(rejection) }
      })
  }
}

const fromLimit = (error: LimitError, now: Micros.Micros): ApiError => {
  const nextMonth = () => ({ "retry-after": String(secondsToNextMonth(now)) })
  switch (error._tag) {
    case "QuotaReached":
      return new ApiError({
        code: "quota_exceeded",
        message: error.message,
        headers: nextMonth(),
        limit: "events_per_month"
      })
    case "ExportQuotaReached":
      return new ApiError({
        code: "quota_exceeded",
        limit: "exports_per_month",
        message: `The workspace has made the ${error.quota} exports that its plan allows a month`,
        headers: nextMonth()
      })
    case "TooManyExports":
      return new ApiError({
        code: "conflict",
        limit: "exports_at_once",
        message: `a workspace makes at most ${error.concurrent} exports at once; wait until one is done`
      })
    case "AlertRuleLimitReached":
      return new ApiError({
        code: "plan_limit_reached",
        limit: "alert_rules",
        message: `The workspace's plan allows ${error.limit} alert rules, on or off`
      })
  }
}

const fromState = (error: StateError): ApiError => {
  switch (error._tag) {
    case "ApiKeyNotFound":
      return new ApiError({ code: "not_found", message: "There is no such API key" })
    case "WorkspaceNotFound":
      return new ApiError({ code: "not_found", message: "There is no such workspace" })
    case "NotFound":
      return new ApiError({ code: "not_found", message: error.message })
    case "ExportNotReady":
      return new ApiError({ code: "export_not_ready", message: `The export is ${error.status}` })
    case "ExportExpired":
      return new ApiError({ code: "link_expired", message: `The export expired at ${error.expiredAt}` })
    case "CollectionFull":
    case "LastOwner":
    case "MemberExists":
    case "NotInvited":
    case "TooManyDeparted":
      return new ApiError({ code: "conflict", message: error.message })
    case "ReceiverGone":
      return new ApiError({ code: "conflict", message: error.reason })
  }
}

/** Why a session is not valid; one that is not known was never one, or is forgotten. */
const SESSION_FAULTS: Readonly<Record<SessionRefused["reason"], string>> = {
  unknown: "The session is not valid; sign in again",
  ended: "The session was ended; sign in again",
  expired: "The session has expired; sign in again",
  idle: "The session was not used for too long; sign in again"
}

const permissionFault = (error: PermissionError): string => {
  if (error._tag === "NotAllowed") return error.reason
  return error.byProvider
    ? "The identity provider decides on your membership of this workspace; sign in there to enter it"
    : "You are no member of this workspace"
}

const fromPermission = (error: PermissionError): ApiError =>
  new ApiError({
    code: "insufficient_scope",
    message: permissionFault(error),
    headers: permissionChallenge(null)
  })

const fromCredential = (error: CredentialError): ApiError => {
  if (error._tag === "SessionRefused")
    return new ApiError({ code: "unauthenticated", message: SESSION_FAULTS[error.reason] })
  const expired = error.reason === "expired"
  if (error._tag === "LinkRefused") {
    return expired
      ? new ApiError({ code: "link_expired", message: "The link has expired" })
      : new ApiError({ code: "unauthenticated", message: "The link's signature is not valid" })
  }
  return new ApiError({
    code: "unauthenticated",
    message: expired ? "The viewer token has expired" : "The viewer token is not valid"
  })
}

const fromUnavailability = (error: Unavailability): ApiError => {
  switch (error._tag) {
    case "ExportFileMissing":
    case "ExportStoreUnavailable":
      return unavailable("The store of exports is not available", 10)
    case "InboxFull":
      return overLimit("inbox", "Too many events are waiting to be sequenced; try again shortly", 1)
    case "ClockAhead":
      return unavailable("The clock cannot be trusted, or the log is dated after it; nothing was changed", 30)
    case "TooMuchOwed":
      return unavailable("Too many reads wait to be recorded, since nothing can be written; try again", 30)
    case "StorageUnavailable":
      return unavailable("The store is not available; nothing was changed", 2)
    case "StoreBehind":
      return unavailable(
        "The database lacks events that it once had; nothing is written. See cairn recover",
        30
      )
    case "LogNotAsSigned":
      if (error.accepted) {
        return unavailable(
          `The log lost events, and the loss was accepted; it is signed again once it has more than ${error.signedSize}`,
          60
        )
      }
      return unavailable(NOT_WHAT_IT_WAS, 60)
    case "LogDamaged":
    case "MalformedHash":
    case "MissingNode":
      return unavailable(NOT_WHAT_IT_WAS, 60)
    case "SecretUnreadable":
      return unavailable("A key that is sealed at rest cannot be read", 60)
  }
}

/** The client's view of one error. */
const toApiError = (error: DomainError, now: Micros.Micros): ApiError => {
  switch (error._tag) {
    case "BatchRefused":
    case "InvalidInput":
    case "MalformedJson":
      return fromInput(error)
    case "AlertRuleLimitReached":
    case "ExportQuotaReached":
    case "QuotaReached":
    case "TooManyExports":
      return fromLimit(error, now)
    case "ApiKeyNotFound":
    case "CollectionFull":
    case "ExportExpired":
    case "ExportNotReady":
    case "LastOwner":
    case "MemberExists":
    case "NotFound":
    case "NotInvited":
    case "ReceiverGone":
    case "TooManyDeparted":
    case "WorkspaceNotFound":
      return fromState(error)
    case "LinkRefused":
    case "SessionRefused":
    case "ViewerTokenRefused":
      return fromCredential(error)
    case "LogClosed":
      return new ApiError({ code: "insufficient_scope", message: error.message })
    case "NotAllowed":
    case "NotAMember":
      return fromPermission(error)
    default:
      return fromUnavailability(error)
  }
}

/** Logs what is not the client's fault. */
const report = (error: DomainError): Effect.Effect<void> => {
  switch (error._tag) {
    case "StorageUnavailable":
      return storeFailed("The store failed", error)
    case "ExportStoreUnavailable":
      return Effect.logError("The store of exports failed").pipe(
        Effect.annotateLogs({ operation: error.operation, cause: String(error.cause) })
      )
    case "ExportFileMissing":
      return Effect.logError(`The file ${error.name} of an export is missing`)
    case "LogDamaged":
      return Effect.logError(`No period was closed: ${error.message}`)
    case "LogNotAsSigned":
      return Effect.logError(`No checkpoint was signed: ${error.message}`)
    case "SecretUnreadable":
      return Effect.logError(`A sealed key cannot be read: ${error.message}`)
    case "MalformedHash":
    case "MissingNode":
      return Effect.logError("The log's Merkle tree is damaged").pipe(Effect.annotateLogs({ ...error }))
    default:
      return Effect.void
  }
}

/** Fails with the client's view; what is not the client's fault is logged. */
export const asApiError = <A, E extends DomainError | ApiError, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, ApiError, R> =>
  Effect.catch(effect, (error: DomainError | ApiError) => {
    if (error._tag === "ApiError") return Effect.fail(error)
    return Effect.andThen(
      report(error),
      Effect.flatMap(Micros.now, (now) => Effect.fail(toApiError(error, now)))
    )
  })
