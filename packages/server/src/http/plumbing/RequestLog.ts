/** One line a request at most, without key, token or content. */
import { Clock, Effect, LogLevel, References } from "effect"

/** What the log says of a request. */
export interface RequestLine {
  readonly method: string
  /** The path in the contract, never the requested one, which may hold anything. */
  readonly route: string
  readonly status: number
  readonly millis: number
  readonly requestId: string
  /** The trace that the client says it is part of. */
  readonly traceId: string | undefined
  readonly workspaceId: string | undefined
}

/** A request that took longer is worth a line. */
const SLOW_MILLIS = 1_000
/**
 * Least milliseconds between two lines for `503`: under a flood of requests, one for each would flood the
 * log.
 */
const SHED_LINE_EVERY_MILLIS = 60_000

/** Whether a request took so long that it is worth a line. */
export const isSlow = (millis: number): boolean => millis > SLOW_MILLIS

/** Writes the line of a request, where it is worth one. */
export type RequestLog = (line: RequestLine) => Effect.Effect<void>

/**
 * Makes the log: errors of the server at `warning` (of `503` one a minute, with how many had no line), slow
 * requests at `info`, every request at `debug`. A request that is neither costs a comparison.
 */
export const makeRequestLog = (): RequestLog => {
  let shedLoggedAt = Number.NEGATIVE_INFINITY
  let unlogged = 0

  const write = (line: RequestLine, level: "Debug" | "Info" | "Warn", more: Record<string, unknown> = {}) =>
    Effect.logWithLevel(level)("request").pipe(
      Effect.annotateLogs({
        method: line.method,
        route: line.route,
        status: line.status,
        millis: line.millis,
        requestId: line.requestId,
        ...(line.traceId === undefined ? {} : { traceId: line.traceId }),
        ...(line.workspaceId === undefined ? {} : { workspaceId: line.workspaceId }),
        ...more
      })
    )

  const shed = (line: RequestLine) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (Math.abs(now - shedLoggedAt) < SHED_LINE_EVERY_MILLIS) {
        unlogged++
        return write(line, "Debug")
      }
      const more = unlogged === 0 ? {} : { alsoShed: unlogged }
      shedLoggedAt = now
      unlogged = 0
      return write(line, "Warn", more)
    })

  return (line) => {
    if (line.status === 503) return shed(line)
    if (line.status >= 500) return write(line, "Warn")
    if (isSlow(line.millis)) return write(line, "Info")
    return Effect.withFiber((fiber) =>
      LogLevel.isGreaterThan(fiber.getRef(References.MinimumLogLevel), "Debug")
        ? Effect.void
        : write(line, "Debug")
    )
  }
}
