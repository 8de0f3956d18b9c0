/**
 * The lines of a segment: `<CRC-32 of the text, 8 hex digits> <text>\n`. The text is JSON in one line: an
 * object is an event, an array of strings is a mark, which names the events earlier in the file that are
 * settled. A line that is damaged costs itself alone: the next one begins after the next newline.
 */
import type { PreparedEvent } from "../Prepared.ts"
import { crc32 } from "./Crc32.ts"

/** What a segment holds. */
export interface SegmentContents {
  /** The events that are not settled, oldest first. */
  readonly waiting: ReadonlyArray<PreparedEvent>
  /** Lines that were written whole and cannot be read any more. */
  readonly damaged: ReadonlyArray<string>
  /** Bytes up to the last newline; what follows was cut off when it was written, and never confirmed. */
  readonly wholeLength: number
}

const NEWLINE = 0x0a
const SPACE = 0x20
/** Of the checksum and the space behind it. */
const PREFIX = 9

const line = (text: string): string => `${crc32(text).toString(16).padStart(8, "0")} ${text}\n`

/** The line of an event. */
export const eventLine = ({ json }: PreparedEvent): string => line(json)

/** The line of a mark. */
export const markLine = (keys: ReadonlyArray<string>): string => line(JSON.stringify(keys))

/** A line's text; `undefined` where it is not what was written. */
const textOf = (bytes: Buffer): string | undefined => {
  const checksum = bytes.toString("latin1", 0, PREFIX - 1)
  if (bytes[PREFIX - 1] !== SPACE || !/^[0-9a-f]{8}$/.test(checksum)) return undefined
  const text = bytes.subarray(PREFIX)
  return crc32(text) === Number.parseInt(checksum, 16) ? text.toString("utf8") : undefined
}

const isMark = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((key) => typeof key === "string")

const keyOf = (value: unknown): string | undefined => {
  const key = (value as { readonly idempotency_key?: unknown } | null)?.idempotency_key
  return typeof key === "string" ? key : undefined
}

/** JSON's value; `undefined` where it is none. */
const parsed = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Reads a segment in time linear in its length. What stands after the last newline was never confirmed, and
 * is left out.
 */
export const readSegment = (bytes: Buffer): SegmentContents => {
  const waiting = new Map<string, Array<PreparedEvent>>()
  const damaged: Array<string> = []
  const order: Array<PreparedEvent> = []
  for (let start = 0, end = bytes.indexOf(NEWLINE); end >= 0; ) {
    const raw = bytes.subarray(start, end)
    start = end + 1
    end = bytes.indexOf(NEWLINE, start)
    if (raw.length === 0) continue
    const text = textOf(raw)
    const value = parsed(text)
    const key = keyOf(value)
    if (isMark(value)) {
      for (const settled of value) waiting.delete(settled)
    } else if (key !== undefined && text !== undefined) {
      const event = { key, json: text }
      order.push(event)
      const same = waiting.get(key)
      if (same === undefined) waiting.set(key, [event])
      else same.push(event)
    } else {
      damaged.push(raw.toString("utf8"))
    }
  }
  const left = new Set([...waiting.values()].flat())
  return {
    waiting: order.filter((event) => left.has(event)),
    damaged,
    wholeLength: bytes.lastIndexOf(NEWLINE) + 1
  }
}
