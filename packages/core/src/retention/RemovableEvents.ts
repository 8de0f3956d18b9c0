/**
 * Which contents can be removed: all except those of Cairn's own records, and those that do not match their
 * hashes.
 */

import { parseContent } from "../event/EventContent.ts"
import { contentHash } from "../event/EventHash.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import type { LogEntry } from "../log/EventLog.ts"
import { HashedEvents } from "../log/HashedEvents.ts"
import type { RemovedEvent } from "./ContentRemoval.ts"
import { isKept } from "./RemovalEvent.ts"

/**
 * Those of some stored events whose content can be removed, in the form that a removal needs.
 *
 * The type of an event is read from its content, and only if the content has the event's hashes. The columns
 * beside it are not hashed, so somebody with write access to the database could otherwise make the service
 * remove one of its own records. A content that does not match its hashes is kept for investigation. Costs
 * two hashes an event, and parses it.
 */
export const removable = (
  sha256: Sha256Shape,
  workspaceId: string,
  events: ReadonlyArray<LogEntry>
): ReadonlyArray<RemovedEvent> => {
  const intact = new HashedEvents(sha256, workspaceId).intact(events)
  return events.flatMap(({ sequence, id, content, salt, contentHash: stored }, index) => {
    // Events before the chain have no hash of their own.
    if (content === null || (sequence > 0 && intact[index] !== true)) return []
    const action = parseContent(content)?.action
    if (action === undefined || isKept(action)) return []
    return [{ sequence, id, content, contentHash: stored ?? contentHash(sha256, salt ?? "", content) }]
  })
}
