/** What a client tells its application: nothing is lost, dropped or left out in silence. */
import type { CairnError } from "./Errors.ts"
import type { Outcome, PreparedEvent } from "./Prepared.ts"

/**
 * What an error is about.
 *
 * - `refused`: events that will never be recorded; where the queue keeps dead letters, they are there.
 * - `dropped`: events for which there was no room or no disk.
 * - `deferred`: events that were not recorded in time and go on in the queue.
 * - `retry`: events that are sent again later.
 * - `fields`: members that the service does not know, without which the events were recorded.
 * - `queue`: the queue itself failed, such as a spool whose disk is gone.
 */
export type ReportKind = "refused" | "dropped" | "deferred" | "retry" | "fields" | "queue"

/** The circumstances of a reported error. */
export interface Report {
  readonly kind: ReportKind
  /** The events; empty where it is about none in particular. */
  readonly events: ReadonlyArray<PreparedEvent>
  /** What the service said of them, for `refused` and `fields`. */
  readonly outcomes: ReadonlyArray<Outcome>
}

/** Takes reports. What it throws is ignored, and what a promise that it gives rejects with. */
export type OnError = (error: CairnError, report: Report) => void

/** An `onError` that cannot stop events: whatever it throws or rejects with is ignored. */
export const harmless =
  (onError: OnError): OnError =>
  (error, report) => {
    // An `async` function is one that gives nothing, too.
    const said = async (): Promise<void> => onError(error, report)
    said().catch(() => {})
  }

/** A report for an application that has no `onError`: a line on the console, once a minute for each kind. */
export const consoleReports = (): OnError => {
  const last = new Map<ReportKind, number>()
  return (error, { kind, events }) => {
    const now = Date.now()
    if (Math.abs(now - (last.get(kind) ?? Number.NEGATIVE_INFINITY)) < 60_000) return
    last.set(kind, now)
    // biome-ignore lint/suspicious/noConsole: the application gave no place of its own for this
    console.error(`cairn: ${kind}: ${error.message}${events.length > 1 ? ` (${events.length} events)` : ""}`)
  }
}
