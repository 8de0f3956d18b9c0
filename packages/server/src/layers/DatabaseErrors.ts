/** What stops a database from being opened, in one line that names what to change. */
import { storeCause, storeErrorText } from "@cairn/core/log"
import { makeFolderOf, type RestoreUnfinished, refuseHalfRestored } from "@cairn/storage-sqlite"
import { Effect, Schema } from "effect"
import { byKind, type Database, nameOf } from "../settings/Database.ts"

/** The database was not there in time. */
export class DatabaseUnreachable extends Schema.TaggedError<DatabaseUnreachable>()("DatabaseUnreachable", {
  /** Without its password. */
  database: Schema.String,
  reason: Schema.String,
  /** How long a start has waited for it; null for a command, which does not. */
  seconds: Schema.NullOr(Schema.Int)
}) {
  /** One line that names the variables to change. */
  override get message(): string {
    const wait =
      this.seconds === null
        ? ""
        : `, CAIRN_DATABASE_WAIT_SECONDS how long a start waits for it (${this.seconds})`
    return `${this.database} cannot be reached: ${this.reason}. CAIRN_DATABASE_URL says where it is${wait}`
  }
}

/** The files of the database cannot be opened. */
export class DatabaseUnusable extends Schema.TaggedError<DatabaseUnusable>()("DatabaseUnusable", {
  database: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.database} cannot be opened: ${this.reason}. CAIRN_DATABASE_URL says where it is`
  }
}

/** What passes by itself: no connection, no answer, or a server that starts or has no connection left. */
const PASSING = new Set(["no connection", "no answer", "busy"])

/** The innermost text of an error: what the platform said. */
export const reasonOf = (error: unknown): string => storeErrorText(error).split("; ").at(-1) ?? "no answer"

/** Whether a database that cannot be opened may be there later. */
export const passes = (error: unknown): boolean => PASSING.has(storeCause(error).name)

/**
 * Makes the folder of a SQLite database if it is missing, and says so: its name may be a typing error. Fails
 * if a restore into it was interrupted.
 */
export const prepareFolder = (
  database: Database
): Effect.Effect<void, DatabaseUnusable | RestoreUnfinished> =>
  byKind<Effect.Effect<void, DatabaseUnusable | RestoreUnfinished>>(database, {
    sqlite: Effect.fnUntraced(function* ({ filename }) {
      const made = yield* makeFolderOf(filename).pipe(
        Effect.mapError(({ message }) => new DatabaseUnusable({ database: filename, reason: message }))
      )
      if (made)
        yield* Effect.logWarning(
          `The folder of ${nameOf(database)} was not there and was made: CAIRN_DATABASE_URL says where the database is`
        )
      yield* refuseHalfRestored(filename)
    }),
    postgres: () => Effect.void
  })
