/** Events to write in every format. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Event } from "@cairn/core/event"
import { Schema } from "effect"
import type { EventOrigin } from "../../../src/event/formats/EventFormat.ts"

/** Everything that an event may leave out is left out. */
export const bare: Event = {
  id: "0b54c2a1-6f0e-4f5a-9c3f-0a1b2c3d4e5f",
  actor: { id: "ada", name: null, type: null },
  action: "document.viewed",
  action_category: null,
  resource: { type: null, id: null, name: null },
  targets: [],
  metadata: null,
  tenant_id: null,
  session_id: null,
  ip_country: null,
  ip_city: null,
  idempotency_key: null,
  version: null,
  integrity: { event_hash: null, previous_event_hash: null },
  occurred_at: "2024-05-01T12:00:00.000001Z",
  created_at: "2024-05-01T12:00:01.999999Z"
}

/** Everything is there. */
export const full: Event = {
  ...bare,
  actor: { id: "user-1", name: "Ada Lovelace", type: "user" },
  action: "document.deleted",
  action_category: "destructive",
  resource: { type: "document", id: "doc-1", name: "Notes" },
  targets: [{ type: "folder", id: "f-1", name: "Drafts", metadata: { colour: "red" } }, { type: "user" }],
  metadata: { reason: "cleanup", nested: { list: [1, null, "x"] } },
  tenant_id: "acme",
  session_id: "s-1",
  ip_country: "GB",
  ip_city: "London",
  idempotency_key: "key-1",
  version: 2,
  integrity: { event_hash: "a".repeat(64), previous_event_hash: "b".repeat(64) }
}

const NASTY = 'line\nbreak\r\nand\rreturn | pipe \\ backslash = equals "quotes" ] bracket\ttab \u2028 día 😀'

/** Text that no format's syntax can hold as it is, in every field. */
export const hostile: Event = {
  ...full,
  actor: { id: NASTY, name: NASTY, type: NASTY },
  action: NASTY,
  action_category: NASTY,
  resource: { type: NASTY, id: NASTY, name: `${NASTY}\0\ufffe\u0085` },
  metadata: { [NASTY]: NASTY },
  tenant_id: NASTY,
  session_id: NASTY
}

export const origin: EventOrigin = {
  workspaceId: "wsp_1",
  sequence: 7,
  contentHash: "c".repeat(64),
  salt: "5".repeat(32)
}

const foreign = process.env.CAIRN_FOREIGN

const decodeLine = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      body: Schema.Struct({
        actor_id: Schema.optionalKey(Schema.Unknown),
        action: Schema.optionalKey(Schema.Unknown),
        resource: Schema.optionalKey(Schema.Unknown),
        metadata: Schema.optionalKey(Schema.Unknown)
      })
    })
  )
)

/** Real events, as far as a format cares; none without the foreign data. */
export const real = (): ReadonlyArray<Event> =>
  foreign === undefined
    ? []
    : ["cloudtrail-invictus", "panther-github", "panther-okta"].flatMap((name) =>
        readFileSync(join(foreign, `data/${name}.jsonl`), "utf8")
          .trim()
          .split("\n")
          .slice(0, 300)
          .map((line) => {
            const { body } = decodeLine(line)
            return {
              ...full,
              actor: { ...full.actor, id: String(body.actor_id) },
              action: String(body.action),
              resource: { type: String(body.resource), id: null, name: null },
              metadata: { raw: body.metadata }
            }
          })
      )

/** One of each kind. */
export const samples: ReadonlyArray<readonly [string, Event]> = [
  ["a bare event", bare],
  ["a full event", full],
  ["a hostile event", hostile]
]
