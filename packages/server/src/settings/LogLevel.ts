/** The levels of `CAIRN_LOG_LEVEL`. */
import { Schema } from "effect"

/** How much is logged: a level and everything above it. */
export const LogLevelName = Schema.Literals(["debug", "info", "warning", "error", "none"])
export type LogLevelName = typeof LogLevelName.Type
