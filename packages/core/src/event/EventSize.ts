/**
 * How large an event may be: what is stored of one in a batch, or imported, is bounded as the body of a
 * single one is.
 */
import { contentParts } from "./ContentWriter.ts"
import { MAX_EVENT_BYTES } from "./EventInput.ts"
import type { ValidEvent } from "./ValidEvent.ts"

/**
 * Most bytes of everything but metadata, if every character takes as many as it can: of the event, and of
 * each of its targets.
 */
const MOST_AROUND = 28_000
const MOST_OF_TARGET = 9_400

/** A UTF-16 unit of canonical metadata takes at most so many bytes. */
const BYTES = 3

/**
 * What the canonical JSON has that the body need not have: names of members that are left out, of the event
 * and of each of its targets.
 */
const ADDED = 1_024
const ADDED_TO_TARGET = 64

const utf8 = new TextEncoder()

/**
 * Whether an event has more than {@link MAX_EVENT_BYTES} as canonical JSON, beside the names of members that
 * are left out. Written to be counted only where its parts cannot tell.
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
