/**
 * Logs, on standard error, so that standard output has the results of commands only: one JSON object a line,
 * or a form for people where standard error is a terminal.
 */
import { isatty } from "node:tty"
import { Micros } from "@cairn/core/encoding"
import { Meters } from "@cairn/core/log"
import { printableLines } from "@cairn/core/verification"
import { Formatter, Layer, Logger, type LogLevel, References } from "effect"
import { SERVER_METRICS } from "../metrics/ServerFamilies.ts"
import type { LogLevelName } from "../settings/LogLevel.ts"

const LEVELS = { debug: "Debug", info: "Info", warning: "Warn", error: "Error", none: "None" } as const

/** The descriptor, which a worker thread has too, while its `process.stderr` is a pipe. */
const STDERR = 2

/** With six fractional digits, as every other time that the service shows. */
const timeOf = (entry: { readonly timestamp: string }): string =>
  Micros.format(Micros.fromMillis(Date.parse(entry.timestamp)))

const jsonLines = Logger.map(Logger.formatStructured, (entry) => {
  process.stderr.write(`${Formatter.formatJson({ ...entry, timestamp: timeOf(entry) })}\n`)
})

/** Without what a terminal would obey: paths and reasons are others' texts. */
const readableLines = Logger.map(Logger.formatStructured, (entry) => {
  const { message, level, annotations, cause } = entry
  const said = typeof message === "string" ? message : Formatter.formatJson(message)
  const details = Object.entries(annotations).map(([name, value]) => `  ${name}: ${Formatter.format(value)}`)
  const lines = [
    `${timeOf(entry)} ${level} ${said}`,
    ...details,
    ...(cause === undefined ? [] : [`  ${cause}`])
  ]
  process.stderr.write(`${printableLines(lines.join("\n"))}\n`)
})

const METERED = { Debug: "debug", Info: "info", Warn: "warning", Error: "error", Fatal: "error" } as const

/** Counts the lines. */
const countedLines = Logger.make(({ logLevel, fiber }) => {
  const level = (METERED as Partial<Record<LogLevel.LogLevel, string>>)[logLevel]
  if (level === undefined) return
  fiber.getRef(Meters).counter(SERVER_METRICS.logLines, { level }).value += 1
})

/** The logger for a level of `CAIRN_LOG_LEVEL`. */
export const layerLogging = (level: LogLevelName) =>
  Layer.mergeAll(
    Logger.layer([isatty(STDERR) ? readableLines : jsonLines, countedLines]),
    Layer.succeed(References.MinimumLogLevel, LEVELS[level])
  )
