/** How much the server logs. */
import { Schema } from "effect"

/** The levels of `CAIRN_LOG_LEVEL`. */
export const LogLevelName = Schema.Literals(["debug", "info", "warning", "error", "none"])
export type LogLevelName = typeof LogLevelName.Type
