/**
 * Batches of a log stream: an event is sent when enough others wait with it, or when it has waited long
 * enough.
 *
 * Nothing is held here. Events wait in the log, and the stream's cursor has not passed them: a process that
 * ends between two looks loses nothing and reads them again.
 */

import { type Micros, SECOND } from "../encoding/Micros.ts"
import type { StreamRecord } from "./LogStreamSink.ts"

/** When a batch is full, and when it goes although it is not. */
export interface BatchLimits {
  readonly events: number
  /** Of the records' texts, in UTF-16 code units; a single record beyond it goes alone. */
  readonly size: number
  readonly seconds: number
}

/** What to do with the records that wait. */
type BatchDecision =
  | { readonly _tag: "Send"; readonly records: ReadonlyArray<StreamRecord> }
  /** Look again at this moment, or when more events come; null when none wait. */
  | { readonly _tag: "Wait"; readonly until: Micros | null }

/**
 * Decides about the records after the cursor, oldest first, of which at least `limits.events` are given if
 * there are so many.
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
