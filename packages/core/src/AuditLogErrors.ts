/** The errors of an `AuditLog`: ordinary ones, each with a `code`, which never show what is inside. */

/** What went wrong, for a program to act on. */
export type AuditLogErrorCode =
  /** An event, a filter, a name or an option is wrong: `InvalidArgument`, with the field's `path`. */
  | "invalid_argument"
  /** The log was closed: `AuditLogClosed`. */
  | "closed"
  /** The database does not answer, or its disk is full: `AuditLogUnavailable`. */
  | "storage_unavailable"
  /** Too many events wait for their place in the chain: `AuditLogUnavailable`. */
  | "inbox_full"
  /** The machine's clock has leapt ahead: `AuditLogUnavailable`. */
  | "clock_ahead"
  /** The log is not what it was, or its database cannot be read. */
  | "damaged"
  /** The database is of a newer version of this library. */
  | "database_too_new"
  /** Evidence is signed, and there is no `secretKey`. */
  | "secret_key_needed"
  /** The secret key is not the one that sealed the signing keys in the database. */
  | "secret_key_wrong"
  /** The file that evidence is to be written to is there already. */
  | "file_exists"
  /** The file could not be written. */
  | "file_not_written"
  /** Anything else, which is a mistake of this library. */
  | "internal"

/** Any error of an `AuditLog`; `cause` is what it came from, where there is such. */
export class AuditLogError extends Error {
  override readonly name: string = "AuditLogError"
  /** What went wrong, for a program to act on. */
  readonly code: AuditLogErrorCode

  constructor(code: AuditLogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** An event, a filter, a name or an option that cannot be taken. Nothing was recorded or opened. */
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

/** The fields of a failure of the services, as far as there are any. */
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

/** Whether the system or SQLite itself said so, as when a file cannot be opened. */
const isOfSystem = (failure: unknown): boolean =>
  failure instanceof Error && ("syscall" in failure || "errcode" in failure)

/** What a driver said first, below what was made of it on the way. */
const deepest = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? deepest(error.cause) : error

const unavailable = (operation: unknown, cause: unknown): AuditLogError =>
  new AuditLogUnavailable("storage_unavailable", `could not ${operation}: ${messageOf(deepest(cause))}`, {
    cause
  })

/** The error for a program, of whatever a service failed with. */
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
      return unavailable("open the database", failure)
    case "InboxFull":
      return new AuditLogUnavailable(
        "inbox_full",
        `${depth} events wait for their place in the chain: try again later`
      )
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
