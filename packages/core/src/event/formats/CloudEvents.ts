/** CloudEvents 1.0.2 in its JSON event format: the envelope that brokers and functions route by. */

import type { SignedCheckpointView } from "../../note/SignedCheckpointView.ts"
import type { Event } from "../Event.ts"
import type { EventFormat, EventOrigin, TestRecord } from "./EventFormat.ts"

/**
 * Text that an attribute may hold: without control characters, noncharacters and lone surrogates (section
 * "Type System"). The replaced characters are unchanged in `data`.
 */
const attribute = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cs}\u{fdd0}-\u{fdef}]|[\ufffe\uffff]/gu, "\ufffd")

/** Only attributes with a value: an empty one is not allowed. */
const present = (attributes: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === null || value === "" ? [] : [[name, attribute(value)]]
    )
  )

const encode = (event: Event, { workspaceId, sequence }: EventOrigin): string =>
  JSON.stringify({
    specversion: "1.0",
    id: event.id,
    source: `urn:cairn:${workspaceId}`,
    type: "cairn.audit_event",
    time: event.occurred_at,
    datacontenttype: "application/json",
    ...present({
      subject: event.resource.id,
      // Extension attributes: lower-case letters and digits only.
      action: event.action,
      actorid: event.actor.id,
      tenantid: event.tenant_id,
      // Not the extension `sequence`, whose values sort as text.
      logsequence: String(sequence)
    }),
    data: event
  })

const encodeCheckpoint = (checkpoint: SignedCheckpointView, workspaceId: string): string =>
  JSON.stringify({
    specversion: "1.0",
    // Source and id must always name the same thing, and a log has one checkpoint of each size.
    id: `checkpoint-${checkpoint.size}`,
    source: `urn:cairn:${workspaceId}`,
    type: "cairn.checkpoint",
    time: checkpoint.signed_at,
    datacontenttype: "application/json",
    logsequence: String(checkpoint.size),
    data: checkpoint
  })

const encodeTest = (test: TestRecord, workspaceId: string): string =>
  JSON.stringify({
    specversion: "1.0",
    id: test.id,
    source: `urn:cairn:${workspaceId}`,
    type: "cairn.test",
    time: test.sent_at,
    datacontenttype: "application/json",
    data: test
  })

/** `cloudevents`: structured mode, the Event of the interface as `data`. */
export const cloudEvents: EventFormat = {
  json: true,
  mediaType: "application/cloudevents+json",
  encode,
  encodeCheckpoint,
  encodeTest
}
