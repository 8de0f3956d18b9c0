/** The event as the interface returns it, with what its hash is verified by. */
import type { EventFormat } from "./EventFormat.ts"

/**
 * `cairn`: the Event of the interface as JSON. Its `integrity` also has the workspace's id, the event's place
 * in the chain, and its content's hash and salt, so that a receiver can verify both hashes
 * (`docs/LogStreams.md`). Hashes and salt are null for legacy events. A checkpoint and a test
 * have a `type`, which no event has.
 */
export const cairn: EventFormat = {
  json: true,
  mediaType: "application/json",
  encode: (event, { workspaceId, sequence, contentHash, salt }) =>
    JSON.stringify({
      ...event,
      integrity: { ...event.integrity, sequence, content_hash: contentHash, salt, workspace_id: workspaceId }
    }),
  encodeCheckpoint: (checkpoint) => JSON.stringify({ type: "checkpoint", ...checkpoint }),
  encodeTest: (test) => JSON.stringify({ type: "test", ...test })
}
