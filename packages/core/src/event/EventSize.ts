/**
 * How large an event may be. The stored form of an event in a batch or an import has the same limit as the
 * body of a single event.
 */
import { contentParts } from "./ContentWriter.ts"
import { MAX_EVENT_BYTES } from "./EventInput.ts"
import type { ValidEvent } from "./ValidEvent.ts"

/**
 * The most bytes that everything but metadata can take, of the event and of each of its targets, if every
 * character takes the most bytes.
 */
const MOST_AROUND = 28_000
const MOST_OF_TARGET = 9_400

/** The most bytes that a UTF-16 unit of canonical metadata takes. */
const BYTES = 3

/**
 * What the canonical JSON adds to the body: the names of omitted members, of the event and of each of its
 * targets.
 */
const ADDED = 1_024
const ADDED_TO_TARGET = 64

const utf8 = new TextEncoder()

/**
 * Whether an event has more than {@link MAX_EVENT_BYTES} as canonical JSON, not counting the names of omitted
 * members. The JSON is only written if the sizes of its parts do not decide that.
 */
export const isTooLarge = (event: ValidEvent): boolean => {
  let metadata = event.metadata.length
  for (const text of event.targetMetadata) metadata += text?.length ?? 0
  if (BYTES * metadata + MOST_AROUND + MOST_OF_TARGET * event.targetMetadata.length <= MAX_EVENT_BYTES)
    return false
  const most = MAX_EVENT_BYTES + ADDED + ADDED_TO_TARGET * event.targetMetadata.length
  if (metadata > most) return true
  const { head, tail } = contentParts(event, 0)
  return utf8.encode(head).length + utf8.encode(tail).length > most
}
