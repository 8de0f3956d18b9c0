/** Events on their way, as a stream hands them to a sink. */

import { Micros } from "@cairn/core/encoding"
import { EVENT_FORMATS, type Event, type EventFormatName } from "@cairn/core/event"
import type { StreamRecord } from "@cairn/core/outbound"

/** 2024-05-01, half a minute before one o'clock UTC. */
const START = Micros.parse("2024-05-01T12:59:30Z") ?? 0

const NASTY = 'line\nbreak\r\n | \\ = "quotes" ] [bracket\ttab \u2028 día 😀'

const event = (sequence: number): Event => ({
  id: `event-${sequence}`,
  actor: { id: sequence % 3 === 0 ? NASTY : `user-${sequence}`, name: null, type: null },
  action: sequence % 5 === 0 ? NASTY : "document.viewed",
  action_category: null,
  resource: { type: "document", id: `doc-${sequence}`, name: NASTY },
  targets: [],
  metadata: { text: NASTY, sequence },
  tenant_id: sequence % 2 === 0 ? "acme" : null,
  session_id: null,
  ip_country: null,
  ip_city: null,
  idempotency_key: null,
  version: null,
  integrity: { event_hash: null, previous_event_hash: null },
  occurred_at: Micros.format(START + sequence * Micros.SECOND),
  created_at: Micros.format(START + sequence * Micros.SECOND)
})

/** Records `from` to `to`, both included, a second apart; every third is hostile in some field. */
export const records = (
  from: number,
  to: number,
  format: EventFormatName = "cairn"
): ReadonlyArray<StreamRecord> =>
  Array.from({ length: to - from + 1 }, (_, index) => {
    const sequence = from + index
    const one = event(sequence)
    const text = EVENT_FORMATS[format].encode(one, {
      workspaceId: "wsp_1",
      sequence,
      contentHash: "c".repeat(64),
      salt: "5".repeat(32)
    })
    return { sequence, createdAt: START + sequence * Micros.SECOND, event: one, text }
  })

/** What the records say. */
export const texts = (sent: ReadonlyArray<StreamRecord>): ReadonlyArray<string> =>
  sent.map(({ text }) => text)
