/** The event as the interface returns it. */
import type { EventFormat } from "./EventFormat.ts"

/**
 * `cairn`: the Event of the interface as JSON, so that a receiver can verify its hash. A checkpoint has a
 * `type`, which no event has.
 */
export const cairn: EventFormat = {
  json: true,
  mediaType: "application/json",
  encode: (event) => JSON.stringify(event),
  encodeCheckpoint: (checkpoint) => JSON.stringify({ type: "checkpoint", ...checkpoint })
}
