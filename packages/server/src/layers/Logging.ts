/**
 * Structured logs: one JSON object a line, on standard error, so that standard output belongs to the
 * commands.
 */
import { Layer, Logger, References } from "effect"
import type { LogLevelName } from "../settings/LogLevel.ts"

const LEVELS = { debug: "Debug", info: "Info", warning: "Warn", error: "Error", none: "None" } as const

/** The logger for a level of `CAIRN_LOG_LEVEL`. */
export const layerLogging = (level: LogLevelName) =>
  Layer.mergeAll(
    Logger.layer([
      Logger.map(Logger.formatJson, (line) => {
        process.stderr.write(`${line}\n`)
      })
    ]),
    Layer.succeed(References.MinimumLogLevel, LEVELS[level])
  )
