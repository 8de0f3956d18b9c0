/**
 * What an insider wants from the log: an event that is different, missing, elsewhere, at another time, or
 * removed.
 */

import { Micros } from "@cairn/core/encoding"
import { EVENT_ERASED, FIRST_LEGACY_SEQUENCE, RETENTION_APPLIED } from "@cairn/core/log"
import type { SeededRandom } from "../generators/SeededRandom.ts"
import type { BundleLine, BundleLines } from "./BundleLines.ts"
import { isObject, type JsonObject, textIn, wholeIn } from "./JsonValues.ts"
import { fewerRecords, RECORD_PARTS, withoutContent } from "./KeptRecords.ts"

/** The goals; the first is none. */
export const GOALS = [
  "nothing",
  "a content",
  "an id",
  "a time",
  "an order",
  "an event less",
  "an event more",
  "a content less",
  "a removal recorded",
  "a removal of more",
  "a record less",
  "a shorter log",
  "a later beginning",
  "a history",
  "anchors less",
  "other periods"
] as const
export type Goal = (typeof GOALS)[number]

const indexesOf = (lines: BundleLines, type: BundleLine["type"]): ReadonlyArray<number> =>
  lines.flatMap((line, index) => (line.type === type && isObject(line.value) ? [index] : []))

const edit = (lines: BundleLines, index: number, change: (value: JsonObject) => JsonObject): BundleLines => {
  const line = lines[index]
  return line === undefined || !isObject(line.value)
    ? lines
    : lines.with(index, { ...line, value: change(line.value) })
}

const otherContent = (value: JsonObject): JsonObject => {
  const { content } = value
  if (!isObject(content)) return value
  return { ...value, content: { ...content, actor: { id: "mallory", name: null, type: "user" } } }
}

/** A record of retention that removes what is below a sequence, in either form. */
const appliedBelow = (below: number, random: SeededRandom): JsonObject =>
  random.chance(0.5)
    ? { below_sequence: below }
    : { below_sequence: below, from_sequence: FIRST_LEGACY_SEQUENCE, kept: [] }

/** Replaces an event by one of Cairn's own that records a removal. */
const removalRecord = (
  value: JsonObject,
  sequences: ReadonlyArray<number>,
  random: SeededRandom
): JsonObject => {
  const { content, created_at } = value
  if (!isObject(content)) return value
  const below = Math.max(...sequences) + 1
  const isErasure = random.chance(0.5)
  return {
    ...value,
    content: {
      ...content,
      action: isErasure ? EVENT_ERASED : RETENTION_APPLIED,
      action_category: "cairn",
      actor: { id: "cairn", name: null, type: "system" },
      metadata: isErasure ? { sequences } : appliedBelow(below, random),
      occurred_at: created_at ?? null
    }
  }
}

/**
 * Removes some contents and overwrites an event with a record of that: the last, or another one after them.
 */
const recordedRemoval = (
  lines: BundleLines,
  events: ReadonlyArray<number>,
  random: SeededRandom
): BundleLines => {
  const victim = random.below(Math.max(1, events.length - 1))
  const record = random.chance(0.6)
    ? events.length - 1
    : victim + 1 + random.below(events.length - 1 - victim)
  const [at, by] = [events[victim], events[record]]
  if (at === undefined || by === undefined || at === by) return lines
  const line = lines[at]
  const sequence = line === undefined ? undefined : wholeIn(line.value, "sequence")
  if (sequence === undefined) return lines
  return edit(edit(lines, at, withoutContent), by, (value) => removalRecord(value, [sequence], random))
}

/** Makes the events that record removals record more of them, and removes the additional contents. */
const moreRemoved = (
  lines: BundleLines,
  events: ReadonlyArray<number>,
  random: SeededRandom
): BundleLines => {
  const victim = events[random.below(events.length)]
  const line = victim === undefined ? undefined : lines[victim]
  const sequence = line === undefined ? undefined : wholeIn(line.value, "sequence")
  if (victim === undefined || sequence === undefined) return lines
  const more = (content: JsonObject): JsonObject => {
    const { metadata } = content
    if (!isObject(metadata)) return content
    const { sequences, below_sequence } = metadata
    if (Array.isArray(sequences)) return { ...content, metadata: { sequences: [...sequences, sequence] } }
    if (typeof below_sequence !== "number") return content
    const { kept } = metadata
    const below = { ...metadata, below_sequence: Math.max(below_sequence, sequence + 1) }
    return {
      ...content,
      metadata: Array.isArray(kept) ? { ...below, kept: kept.filter((one) => one !== sequence) } : below
    }
  }
  return edit(lines, victim, withoutContent).map((other): BundleLine => {
    const { type, value } = other
    if (!isObject(value)) return other
    if (type === "event" && isObject(value.content))
      return { type, value: { ...value, content: more(value.content) } }
    if (type === "removal" && isObject(value.event) && isObject(value.event.content)) {
      return { type, value: { ...value, event: { ...value.event, content: more(value.event.content) } } }
    }
    return other
  })
}

/** Removes anchors: the first, the newest, one between, or all. */
const fewerAnchors = (lines: BundleLines, random: SeededRandom): BundleLines => {
  const anchors = indexesOf(lines, "anchor")
  if (anchors.length === 0) return lines
  const first = random.below(anchors.length)
  const gone = new Set(
    random.pick([
      anchors,
      anchors.slice(0, 1),
      anchors.slice(-1),
      anchors.slice(first),
      anchors.slice(first, first + 1)
    ])
  )
  return lines.filter((_, index) => !gone.has(index))
}

/** Moves the edge between two periods, or the end of the last. */
const otherPeriods = (lines: BundleLines, random: SeededRandom): BundleLines => {
  const anchors = indexesOf(lines, "anchor")
  const at = random.below(anchors.length)
  const [index, next] = [anchors[at], anchors[at + 1]]
  if (index === undefined) return lines
  const by = random.pick([-2, -1, 1, 2])
  const shift = (name: string) => (value: JsonObject) => ({
    ...value,
    [name]: (wholeIn(value, name) ?? 0) + by
  })
  const shifted = edit(lines, index, shift("last_sequence"))
  return next === undefined ? shifted : edit(shifted, next, shift("first_sequence"))
}

const shiftTime = (value: JsonObject, by: number): JsonObject => {
  const at = Micros.parse(textIn(value, "created_at") ?? "")
  return at === undefined ? value : { ...value, created_at: Micros.format(at + by) }
}

const another = (value: JsonObject, random: SeededRandom): JsonObject => ({
  ...otherContent(value),
  id: `0000000${random.below(10)}-0000-4000-8000-000000000000`,
  salt: "0".repeat(32)
})

/**
 * The lines as the insider wants them, with nothing recomputed. A goal that the bundle does not allow changes
 * nothing.
 */
export const withGoal = (lines: BundleLines, goal: Goal, random: SeededRandom): BundleLines => {
  const events = indexesOf(lines, "event")
  if (events.length < 3) return lines
  const index = events[random.below(events.length)] ?? 0
  const line = lines[index]
  if (line === undefined || !isObject(line.value)) return lines
  const { value } = line
  switch (goal) {
    case "nothing":
      return lines
    case "a content":
      return edit(lines, index, otherContent)
    case "an id":
      return edit(lines, index, ({ id, ...rest }) => ({
        ...rest,
        id: String(id).replace(/^./, (c) => (c === "a" ? "b" : "a"))
      }))
    case "a time":
      return edit(lines, index, (before) => shiftTime(before, random.pick([1, -1, 900_000, 40 * Micros.DAY])))
    case "an order": {
      const other = events[events.indexOf(index) + 1] ?? events[0] ?? index
      const [one, two] = [lines[index], lines[other]]
      return one === undefined || two === undefined ? lines : lines.with(index, two).with(other, one)
    }
    case "an event less":
      return lines.toSpliced(index, 1)
    case "an event more":
      return lines.toSpliced(index, 0, { type: "event", value: another(value, random) })
    case "a content less":
      return edit(lines, index, withoutContent)
    case "a removal recorded":
      return recordedRemoval(lines, events, random)
    case "a removal of more":
      return moreRemoved(lines, events, random)
    case "a record less":
      return fewerRecords(lines, random.pick(RECORD_PARTS), random)
    case "a shorter log": {
      const kept = 1 + random.below(events.length - 1)
      const gone = new Set(events.slice(kept))
      return lines.filter((_, at) => !gone.has(at))
    }
    case "a later beginning": {
      const gone = new Set(events.slice(0, 1 + random.below(events.length - 2)))
      const rest = edit(lines, events.at(-1) ?? index, random.chance(0.7) ? otherContent : (same) => same)
      return rest.filter((other, at) => !gone.has(at) && other.type !== "legacy")
    }
    case "a history": {
      const legacy = indexesOf(lines, "legacy")
      const at = legacy[random.below(Math.max(1, legacy.length))]
      if (at === undefined) return lines
      return random.chance(0.5) ? lines.toSpliced(at, 1) : edit(lines, at, otherContent)
    }
    case "anchors less":
      return fewerAnchors(lines, random)
    case "other periods":
      return otherPeriods(lines, random)
  }
}
