/** The errors of an `AuditLog`: ordinary errors, each with a `code`, which never expose internals. */

/** What went wrong, for a program to act on. */
export type AuditLogErrorCode =
  /** An event, a filter, a name or an option is wrong: `InvalidArgument`, with the field's `path`. */
  | "invalid_argument"
  /** The log was closed: `AuditLogClosed`. */
  | "closed"
  /** The database does not respond, or its disk is full: `AuditLogUnavailable`. */
  | "storage_unavailable"
  /**
   * The database cannot be opened as configured: its path cannot be opened or written, or the server refuses
   * the database, the user or the password. Trying again does not help.
   */
  | "storage_refused"
  /** Too many events wait to be sequenced: `AuditLogUnavailable`. */
  | "inbox_full"
  /** The workspace was closed for good: see `cairn workspace export-and-close`. */
  | "workspace_closed"
  /** The machine's clock has leapt ahead: `AuditLogUnavailable`. */
  | "clock_ahead"
  /** The log was changed from outside, or its database cannot be read. */
  | "damaged"
  /** The database was migrated by a newer version of this library. */
  | "database_too_new"
  /** Evidence must be signed, and there is no `secretKey`. */
  | "secret_key_needed"
  /** The secret key is not the one that encrypted the signing keys in the database. */
  | "secret_key_wrong"
  /** The file for the evidence exists already. */
  | "file_exists"
  /** The file could not be written. */
  | "file_not_written"
  /** Anything else, which is a defect of this library. */
  | "internal"

/** Any error of an `AuditLog`; `cause` is the underlying error, if there is one. */
export class AuditLogError extends Error {
  override readonly name: string = "AuditLogError"
  /** What went wrong, for a program to act on. */
  readonly code: AuditLogErrorCode

  constructor(code: AuditLogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** An event, a filter, a name or an option is invalid. Nothing was recorded or opened. */
export class InvalidArgument extends AuditLogError {
  override readonly name = "InvalidArgument"
  /** The field, such as `actor_id` or `targets[0].type`; empty for the value itself. */
  readonly path: string
  /** What is wrong with it. */
  readonly reason: string

  constructor(path: string, reason: string) {
    super("invalid_argument", path === "" ? reason : `${path}: ${reason}`)
    this.path = path
    this.reason = reason
  }
}

/** The log was closed before the call. */
export class AuditLogClosed extends AuditLogError {
  override readonly name = "AuditLogClosed"

  constructor() {
    super("closed", "the audit log is closed")
  }
}

/** It cannot be done now: the same call may be made again later. Nothing was recorded. */
export class AuditLogUnavailable extends AuditLogError {
  override readonly name = "AuditLogUnavailable"
}

/** The fields of a service's error, if it has any. */
interface Fields {
  readonly _tag?: unknown
  readonly path?: unknown
  readonly reason?: unknown
  readonly operation?: unknown
  readonly cause?: unknown
  readonly depth?: unknown
  readonly aheadSeconds?: unknown
}

const messageOf = (value: unknown): string => {
  const text = value instanceof Error ? value.message : String(value)
  return text === "" && value instanceof Error ? value.name : text
}

/** Whether the error comes from the system or from SQLite itself, as when a file cannot be opened. */
const isOfSystem = (failure: unknown): boolean =>
  failure instanceof Error && ("syscall" in failure || "errcode" in failure)

/** The original message of a driver, under the errors that wrap it. */
const deepest = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? deepest(error.cause) : error

/** SQLite's results for a file that is no database, or a damaged one. */
const DAMAGED_RESULTS: ReadonlySet<number> = new Set([11, 26])
/** Its results for a path that cannot be opened or written by this user. */
const REFUSED_RESULTS: ReadonlySet<number> = new Set([3, 8, 14])
/** The system's for the same. */
const REFUSED_CODES: ReadonlySet<unknown> = new Set([
  "EACCES",
  "EEXIST",
  "EISDIR",
  "ENOTDIR",
  "EPERM",
  "EROFS"
])
/** PostgreSQL's for a user or a password (class 28), and for a database that does not exist. */
const REFUSED_STATES = /^(?:28[0-9A-Z]{3}|3D000)$/

/** What a driver's error means for the program. */
const codeOf = (error: unknown): "damaged" | "storage_refused" | "storage_unavailable" => {
  const { code, errcode }: { readonly code?: unknown; readonly errcode?: unknown } = Object(error)
  // The lowest byte of an extended result is the result.
  const result = typeof errcode === "number" ? errcode & 0xff : 0
  if (DAMAGED_RESULTS.has(result)) return "damaged"
  const isRefused =
    REFUSED_RESULTS.has(result) ||
    REFUSED_CODES.has(code) ||
    (typeof code === "string" && REFUSED_STATES.test(code))
  return isRefused ? "storage_refused" : "storage_unavailable"
}

const unavailable = (operation: unknown, cause: unknown): AuditLogError => {
  const error = deepest(cause)
  const code = codeOf(error)
  const message = `could not ${operation}: ${messageOf(error)}`
  return code === "storage_unavailable"
    ? new AuditLogUnavailable(code, message, { cause })
    : new AuditLogError(code, message, { cause })
}

/** Makes the program's error from any error of a service. */
export const auditLogError = (failure: unknown): AuditLogError => {
  if (failure instanceof AuditLogError) return failure
  const { _tag, path, reason, operation, cause, depth, aheadSeconds }: Fields = Object(failure)
  const because = { cause: failure }
  switch (_tag) {
    case "InvalidInput":
      return new InvalidArgument(String(path), String(reason))
    case "StorageUnavailable":
      return unavailable(operation, cause)
    case "SqlError":
    case "FolderUnusable":
      return unavailable("open the database", failure)
    case "RestoreUnfinished":
    case "SpreadInPart":
      return new AuditLogError("storage_refused", messageOf(failure), because)
    case "InboxFull":
      return new AuditLogUnavailable(
        "inbox_full",
        `${depth} events wait for their place in the chain: try again later`
      )
    case "LogClosed":
      return new AuditLogError("workspace_closed", messageOf(failure))
    case "ClockAhead":
      return new AuditLogUnavailable(
        "clock_ahead",
        `the clock is ${aheadSeconds} s ahead of the time that has passed: no event is taken with such a date`
      )
    case "DatabaseTooNew":
      return new AuditLogError("database_too_new", messageOf(failure), because)
    case "SecretUnreadable":
      return new AuditLogError("secret_key_wrong", messageOf(failure), because)
    case "LogNotAsSigned":
    case "MissingNode":
    case "MalformedHash":
      return new AuditLogError("damaged", messageOf(failure), because)
    default:
      if (isOfSystem(failure)) return unavailable("open the database", failure)
      return new AuditLogError("internal", messageOf(failure), because)
  }
}
