/** Omits records of Cairn's own whose contents the log keeps, as if retention had removed them. */
import { CHAIN_STARTED, EVENT_ERASED, RETENTION_PREFIX } from "@cairn/core/log"
import type { SeededRandom } from "../generators/SeededRandom.ts"
import type { BundleLine, BundleLines } from "./BundleLines.ts"
import { isObject, type JsonObject, textIn, wholeIn } from "./JsonValues.ts"

/** Which of them are omitted, and whether with lines that claim they were kept. */
export const RECORD_PARTS = [
  "one",
  "the first",
  "all",
  "one and removals",
  "the first and removals",
  "all and removals"
] as const
export type RecordPart = (typeof RECORD_PARTS)[number]

/** An event's line without the content. */
export const withoutContent = (value: JsonObject): JsonObject => ({ ...value, content: null, salt: null })

/** The sequence below which a line records that retention removed contents. */
const belowOf = ({ value }: BundleLine): number => {
  const event = isObject(value) && isObject(value.event) ? value.event : value
  const content = isObject(event) && isObject(event.content) ? event.content : undefined
  return wholeIn(content?.metadata, "below_sequence") ?? 0
}

const isRecord = ({ type, value }: BundleLine): boolean => {
  const content = type === "event" && isObject(value) ? value.content : undefined
  const action = isObject(content) ? (textIn(content, "action") ?? "") : ""
  return action === CHAIN_STARTED || action === EVENT_ERASED || action.startsWith(RETENTION_PREFIX)
}

/**
 * Removes their contents, with the history that the first event commits to, and some or all of the records
 * after the range. Without such records nothing changes.
 */
export const fewerRecords = (lines: BundleLines, part: RecordPart, random: SeededRandom): BundleLines => {
  const all = lines.flatMap((line, index) => (isRecord(line) ? [index] : []))
  // Mostly among the removed contents: there one less could be mistaken for one more that retention removed.
  const below = random.chance(0.8) ? Math.max(...lines.map(belowOf)) : Number.POSITIVE_INFINITY
  const gone = all.filter((at) => (wholeIn(lines[at]?.value, "sequence") ?? 0) < below)
  const records = gone.length > 0 ? gone : all
  if (records.length === 0) return lines
  const victims = new Set(
    part.startsWith("all")
      ? records
      : part.startsWith("one")
        ? [random.pick(records)]
        : records.slice(0, 1 + random.below(2))
  )
  const isFirst = [...victims].some((at) => wholeIn(lines[at]?.value, "sequence") === 1)
  const share = part.endsWith("removals") ? random.pick([0.5, 1]) : 0
  return lines.flatMap((line, at): BundleLines => {
    if (victims.has(at) && isObject(line.value)) return [{ ...line, value: withoutContent(line.value) }]
    if (line.type === "legacy" && isFirst) return []
    return line.type === "removal" && random.chance(share) ? [] : [line]
  })
}
