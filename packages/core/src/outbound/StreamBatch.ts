/**
 * Batches of a log stream: an event is sent when enough others wait with it, or when it has waited long
 * enough.
 *
 * Nothing is held in memory. Events wait in the log, after the stream's position: a process that ends between
 * two checks loses nothing and reads them again.
 */

import { type Micros, SECOND } from "../encoding/Micros.ts"
import type { StreamRecord } from "./LogStreamSink.ts"

/** When a batch is full, and when it is sent although it is not. */
export interface BatchLimits {
  readonly events: number
  /** Size of the records' texts, in UTF-16 code units; a larger record is sent alone. */
  readonly size: number
  readonly seconds: number
}

/** What to do with the waiting records. */
type BatchDecision =
  | { readonly _tag: "Send"; readonly records: ReadonlyArray<StreamRecord> }
  /** Check again at this time, or when more events arrive; null if none wait. */
  | { readonly _tag: "Wait"; readonly until: Micros | null }

/**
 * Decides about the records after the position, oldest first. If there are `limits.events` of them, at least
 * that many must be passed.
 */
export const decideBatch = (
  limits: BatchLimits,
  waiting: ReadonlyArray<StreamRecord>,
  now: Micros
): BatchDecision => {
  const [first] = waiting
  if (first === undefined) return { _tag: "Wait", until: null }
  let count = 0
  let size = 0
  for (const { text } of waiting) {
    if (count === limits.events || (count > 0 && size + text.length > limits.size)) break
    count++
    size += text.length
  }
  const full = count === limits.events || count < waiting.length
  const due = first.createdAt + limits.seconds * SECOND
  return full || now >= due
    ? { _tag: "Send", records: waiting.slice(0, count) }
    : { _tag: "Wait", until: due }
}
