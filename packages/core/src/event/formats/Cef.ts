/**
 * ArcSight Common Event Format, version 0 (implementation standard, revision 25):
 * `CEF:0|vendor|product|version|class|name|severity|` and `key=value` pairs of its dictionary, separated by
 * spaces.
 */

import * as Micros from "../../encoding/Micros.ts"
import type { SignedCheckpointView } from "../../note/SignedCheckpointView.ts"
import type { Event } from "../Event.ts"
import type { EventFormat, EventOrigin, TestRecord } from "./EventFormat.ts"

/** Informational, on its scale from 0 to 10. Cairn records; it does not judge. */
const SEVERITY = 3

/** Control characters and the other characters that some reader takes for the end of a line. */
const CONTROL = /[\p{Cc}\u2028\u2029]/gu

/**
 * Such a character as JSON and most languages write it, `\u0085`, with the backslash escaped: CEF has no
 * escape for it, and a reader sees what it was.
 */
const named = (character: string): string => `\\\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/**
 * A header field: `\` and `|` are escaped, a line break, for which the header has no escape, becomes a space,
 * and every other control character is named.
 */
const header = (text: string): string =>
  text
    .replace(/[\\|]/g, "\\$&")
    .replace(/\r\n|\r|\n/g, " ")
    .replace(CONTROL, named)

/** An extension's value: `\`, `=` and line breaks are escaped, and every other control character is named. */
const value = (text: string): string =>
  text.replace(/[\\=]/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(CONTROL, named)

const millis = (text: string): string => String(Math.floor((Micros.parse(text) ?? 0) / 1000))

/**
 * The dictionary's keys, in the order in which they are written; keys that the event has no value for are
 * left out.
 */
const extension = (
  event: Event,
  { sequence }: EventOrigin
): ReadonlyArray<readonly [string, string | null]> => {
  const custom = (number: number, label: string, text: string | null) =>
    text === null ? [] : [[`cs${number}Label`, label] as const, [`cs${number}`, text] as const]
  return [
    ["externalId", event.id],
    ["rt", millis(event.created_at)],
    ["start", millis(event.occurred_at)],
    ["suid", event.actor.id],
    ["suser", event.actor.name],
    ["act", event.action],
    ["cat", event.action_category],
    ["cn1Label", "sequence"],
    ["cn1", String(sequence)],
    ...custom(1, "tenant_id", event.tenant_id),
    ...custom(2, "session_id", event.session_id),
    ...custom(3, "resource", event.resource.type),
    ...custom(4, "resource_id", event.resource.id),
    ...custom(5, "event_hash", event.integrity.event_hash),
    ...custom(6, "ip_country", event.ip_country),
    ["fname", event.resource.name],
    ["msg", event.metadata === null ? null : JSON.stringify(event.metadata)]
  ]
}

const encode = (event: Event, origin: EventOrigin): string => {
  const pairs = extension(event, origin).flatMap(([key, text]) =>
    text === null ? [] : [`${key}=${value(text)}`]
  )
  const name = [event.action, event.resource.type].filter((part) => part !== null).join(" ")
  return `CEF:0|Cairn|Cairn|1|${header(event.action)}|${header(name)}|${SEVERITY}|${pairs.join(" ")}`
}

/** Checkpoints and tests are recognised by their classes: actions of clients never begin with `cairn.`. */
const ownLine = (name: string, pairs: ReadonlyArray<readonly [key: string, text: string]>): string =>
  `CEF:0|Cairn|Cairn|1|${name}|${name}|${SEVERITY}|${pairs.map(([key, text]) => `${key}=${value(text)}`).join(" ")}`

const encodeCheckpoint = ({ origin, size, root, signed_at, note }: SignedCheckpointView): string =>
  ownLine("cairn.checkpoint", [
    ["rt", millis(signed_at)],
    ["cn1Label", "size"],
    ["cn1", String(size)],
    ["cs1Label", "origin"],
    ["cs1", origin],
    ["cs2Label", "root"],
    ["cs2", root],
    ["msg", note]
  ])

const encodeTest = ({ id, sent_at, message }: TestRecord): string =>
  ownLine("cairn.test", [
    ["externalId", id],
    ["rt", millis(sent_at)],
    ["msg", message]
  ])

/**
 * `cef`: one line of CEF. Targets, city and idempotency key have no place in its dictionary and are left out.
 */
export const cef: EventFormat = {
  json: false,
  mediaType: "text/plain",
  encode,
  encodeCheckpoint,
  encodeTest
}
