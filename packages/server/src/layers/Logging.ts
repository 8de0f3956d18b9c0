/**
 * Structured logs: one JSON object a line, on standard error, so that standard output belongs to the
 * commands.
 */
import { Micros } from "@cairn/core/encoding"
import { Formatter, Layer, Logger, References } from "effect"
import type { LogLevelName } from "../settings/LogLevel.ts"

const LEVELS = { debug: "Debug", info: "Info", warning: "Warn", error: "Error", none: "None" } as const

/** The logger for a level of `CAIRN_LOG_LEVEL`. */
export const layerLogging = (level: LogLevelName) =>
  Layer.mergeAll(
    Logger.layer([
      Logger.map(Logger.formatStructured, (entry) => {
        // With six fractional digits, as every other time that the service shows.
        const timestamp = Micros.format(Micros.fromMillis(Date.parse(entry.timestamp)))
        process.stderr.write(`${Formatter.formatJson({ ...entry, timestamp })}\n`)
      })
    ]),
    Layer.succeed(References.MinimumLogLevel, LEVELS[level])
  )
