/** What the log thread is started with. */
import { Schema } from "effect"

/** The levels of `CAIRN_LOG_LEVEL`. */
export const LogLevelName = Schema.Literals(["debug", "info", "warning", "error", "none"])
export type LogLevelName = typeof LogLevelName.Type

/** Crosses as structured clone. */
export const ThreadConfig = Schema.Struct({
  /** Path of the log's SQLite file. */
  filename: Schema.String,
  inboxCapacity: Schema.Number,
  /** `.mmdb` files; null looks for an installed package. */
  geoipFiles: Schema.NullOr(Schema.Array(Schema.String)),
  logLevel: LogLevelName
})
export type ThreadConfig = typeof ThreadConfig.Type
