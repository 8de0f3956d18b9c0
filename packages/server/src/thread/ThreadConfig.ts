/** What the log thread is started with. */
import { Schema } from "effect"
import { Database } from "../Database.ts"

/** The levels of `CAIRN_LOG_LEVEL`. */
export const LogLevelName = Schema.Literals(["debug", "info", "warning", "error", "none"])
export type LogLevelName = typeof LogLevelName.Type

/** Crosses as structured clone. */
export const ThreadConfig = Schema.Struct({
  database: Database,
  /** Whether the thread sequences and indexes by itself, or only answers what it is asked. */
  works: Schema.Boolean,
  inboxCapacity: Schema.Number,
  /** Most connections to a PostgreSQL database, for each of the process's two threads. */
  connections: Schema.Number,
  /** Keys that seal secrets at rest, newest first, each the base64 of 32 bytes. */
  secretKeys: Schema.Array(Schema.String),
  /** `.mmdb` files; null looks for an installed package. */
  geoipFiles: Schema.NullOr(Schema.Array(Schema.String)),
  logLevel: LogLevelName
})
export type ThreadConfig = typeof ThreadConfig.Type
