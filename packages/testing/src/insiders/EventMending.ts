/**
 * What an insider recomputes for the events of a bundle after changing it: sequences, times, hashes and
 * links.
 */

import { Micros } from "@cairn/core/encoding"
import { type Sha256Shape, toHex } from "@cairn/core/hashing"
import { CHAIN_STARTED, FIRST_LEGACY_SEQUENCE } from "@cairn/core/log"
import { merkleRoot } from "@cairn/core/merkle"
import type { BundleLine, BundleLines } from "./BundleLines.ts"
import { isObject, type Json, type JsonObject, textIn, wholeIn, writeJson } from "./JsonValues.ts"

/** A hash of 64 lower-case hexadecimal characters as bytes. */
export const hashBytes = (hex: string | undefined): Uint8Array | undefined =>
  hex !== undefined && /^[0-9a-f]{64}$/.test(hex) ? Uint8Array.from(Buffer.from(hex, "hex")) : undefined

/**
 * The lines with the values of one type changed; other lines, and values that are not objects, stay the same.
 */
export const mapValues = (
  lines: BundleLines,
  type: BundleLine["type"],
  change: (value: JsonObject) => JsonObject
): BundleLines =>
  lines.map((line) =>
    line.type === type && isObject(line.value) ? { type, value: change(line.value) } : line
  )

/** The values of the lines of one type that are objects. */
export const valuesOf = (lines: BundleLines, type: BundleLine["type"]): ReadonlyArray<JsonObject> =>
  lines.flatMap((line) => (line.type === type && isObject(line.value) ? [line.value] : []))

/** The first line of a type that is an object. */
export const firstOf = (lines: BundleLines, type: BundleLine["type"]): JsonObject | undefined =>
  valuesOf(lines, type)[0]

/** The hash of a content with its salt, even if the content is not canonical. */
export const hashOfContent = (sha256: Sha256Shape, salt: Json | undefined, content: Json): string =>
  sha256.hex(`cairn.content.v1\n${typeof salt === "string" ? salt : ""}\n${writeJson(content)}`)

/** The hash of a header, whatever members it has. */
export const hashOfHeader = (sha256: Sha256Shape, header: JsonObject): string =>
  sha256.hex(`cairn.event.v1\n${writeJson(header)}`)

/** The hash that follows from the members of an event's line. */
const hashOfEvent = (sha256: Sha256Shape, workspaceId: Json, event: JsonObject): string => {
  const {
    content_hash = null,
    created_at = null,
    id = null,
    previous_event_hash = null,
    sequence = null
  } = event
  return hashOfHeader(sha256, {
    content_hash,
    created_at,
    id,
    previous_event_hash,
    sequence,
    v: 1,
    workspace_id: workspaceId
  })
}

/** Sequences of the history and of the chain, each one more than the one before it. */
export const mendSequences = (lines: BundleLines): BundleLines => {
  let legacy = FIRST_LEGACY_SEQUENCE
  const history = mapValues(lines, "legacy", (value) => ({ ...value, sequence: legacy++ }))
  let next = wholeIn(firstOf(lines, "header"), "from") ?? 1
  return mapValues(history, "event", (value) => ({ ...value, sequence: next++ }))
}

/** Increasing times: one that does not increase is set to just after the previous one. */
export const mendTimes = (lines: BundleLines): BundleLines => {
  let before = Number.NEGATIVE_INFINITY
  const mend = (value: JsonObject): JsonObject => {
    const at = Micros.parse(textIn(value, "created_at") ?? "")
    if (at === undefined) return value
    before = Math.max(at, before + 1)
    return before === at ? value : { ...value, created_at: Micros.format(before) }
  }
  return mapValues(mapValues(lines, "legacy", mend), "event", mend)
}

/** The hashes of contents that are present. */
export const mendContents = (sha256: Sha256Shape, lines: BundleLines): BundleLines => {
  const mend = (value: JsonObject): JsonObject => {
    const { content = null, salt = null, content_hash = null } = value
    if (content === null || salt === null) return value
    if (value.type === "legacy" && content_hash === null) return value
    return { ...value, content_hash: hashOfContent(sha256, salt, content) }
  }
  return mapValues(mapValues(lines, "legacy", mend), "event", mend)
}

/** What the chain's first event commits to about the history before it. */
export const mendHistory = (sha256: Sha256Shape, lines: BundleLines): BundleLines => {
  const workspaceId = firstOf(lines, "header")?.workspace_id ?? null
  const leaves = valuesOf(lines, "legacy").flatMap((value) => {
    const { content = null, salt = null } = value
    const computed = content === null ? (value.content_hash ?? null) : hashOfContent(sha256, salt, content)
    const hash = hashOfEvent(sha256, workspaceId, {
      ...value,
      content_hash: computed,
      previous_event_hash: null
    })
    const bytes = hashBytes(hash)
    return bytes === undefined ? [] : [bytes]
  })
  return mapValues(lines, "event", (value) => {
    const { content } = value
    if (!isObject(content) || content.action !== CHAIN_STARTED) return value
    const committed = {
      legacy_events: leaves.length,
      legacy_merkle_root: toHex(merkleRoot(sha256, leaves))
    }
    return { ...value, content: { ...content, metadata: committed } }
  })
}

/** The events' hashes and the links between them; `before` is the hash of the event before the range. */
export const mendLinks = (sha256: Sha256Shape, lines: BundleLines, before: string | null): BundleLines => {
  const workspaceId = firstOf(lines, "header")?.workspace_id ?? null
  let previous: Json = before
  return mapValues(lines, "event", (value) => {
    const linked = { ...value, previous_event_hash: previous }
    const hash = hashOfEvent(sha256, workspaceId, linked)
    previous = hash
    return { ...linked, event_hash: hash }
  })
}

/** The range of the header, from its first event to its last. */
export const mendRange = (lines: BundleLines): BundleLines => {
  const sequences = valuesOf(lines, "event").flatMap((value) => wholeIn(value, "sequence") ?? [])
  const [first, last] = [sequences.at(0), sequences.at(-1)]
  if (first === undefined || last === undefined) return lines
  return mapValues(lines, "header", (value) => ({ ...value, from: first, to: last }))
}

/** The closing line's counts. */
export const mendCounts = (lines: BundleLines): BundleLines => {
  const count = (type: BundleLine["type"]) => lines.filter((line) => line.type === type).length
  const counts = {
    anchors: count("anchor"),
    events: count("event"),
    legacy: count("legacy"),
    removals: count("removal")
  }
  return mapValues(lines, "end", (value) => ({ ...value, ...counts }))
}
