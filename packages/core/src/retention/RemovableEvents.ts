/**
 * Which contents can be removed: all but those of Cairn's own records, and those that are not what was
 * hashed.
 */

import { parseContent } from "../event/EventContent.ts"
import { contentHash } from "../event/EventHash.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import type { StoredEvent } from "../log/EventLog.ts"
import { HashedEvents } from "../log/HashedEvents.ts"
import type { RemovedEvent } from "./ContentRemoval.ts"
import { isKept } from "./RemovalEvent.ts"

/**
 * Those of some stored events of a log whose content can go, as a removal wants them.
 *
 * What an event is, is said by its content, and that counts only while it has the event's hashes: what stands
 * beside it in columns is hashed by nobody, and whoever writes to the database could have the service itself
 * remove a record of its own. A content that is not what was hashed stays for whoever looks into it. Costs
 * two hashes an event, and parses it.
 */
export const removable = (
  sha256: Sha256Shape,
  workspaceId: string,
  events: ReadonlyArray<StoredEvent>
): ReadonlyArray<RemovedEvent> => {
  const intact = new HashedEvents(sha256, workspaceId).intact(events)
  return events.flatMap(({ sequence, id, content, salt, contentHash: stored }, index) => {
    // Before the chain nothing is hashed by itself.
    if (content === null || (sequence > 0 && intact[index] !== true)) return []
    const action = parseContent(content)?.action
    if (action === undefined || isKept(action)) return []
    return [{ sequence, id, content, contentHash: stored ?? contentHash(sha256, salt ?? "", content) }]
  })
}
