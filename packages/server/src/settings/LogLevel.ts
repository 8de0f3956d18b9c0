/** The levels of `CAIRN_LOG_LEVEL`. */
import { type LogLevel, Schema } from "effect"

/** How much is logged: a level and everything above it. */
export const LogLevelName = Schema.Literals(["debug", "info", "warning", "error", "none"])
export type LogLevelName = typeof LogLevelName.Type

/** The level that `--log-level` means, which has more names. */
export const levelName = (level: LogLevel.LogLevel): LogLevelName => NAMES[level]

const NAMES: Readonly<Record<LogLevel.LogLevel, LogLevelName>> = {
  All: "debug",
  Trace: "debug",
  Debug: "debug",
  Info: "info",
  Warn: "warning",
  Error: "error",
  Fatal: "error",
  None: "none"
}
