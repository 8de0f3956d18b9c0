/**
 * JSON text (RFC 8259) read without silent change: what `JSON.parse` would round to another number is reported.
 *
 * Fractions round to the nearest double and the last of duplicate keys wins, as I-JSON (RFC 7493) readers expect.
 *
 * `JSON.parse` does the work; beside it stands one pass over the text, which finds what `JSON.parse` cannot be relied on for. Texts that
 * have such are read once more by `JsonReader.ts`. Nothing here recurses, and everything costs what the text is long.
 */
import { Result, Schema } from "effect"
import { type InexactNumber, isSuspect, readValid } from "./JsonReader.ts"

export { DEEPEST_NUMBER, type InexactNumber } from "./JsonReader.ts"

/** The text is not JSON. */
export class MalformedJson extends Schema.TaggedError<MalformedJson>()("MalformedJson", {
  /** What the parser found, and where. */
  detail: Schema.String
}) {}

const [QUOTE, COLON, BACKSLASH, SPACE] = [0x22, 0x3a, 0x5c, 0x20]
const [ZERO, NINE, POINT, SMALL_E, LARGE_E] = [0x30, 0x39, 0x2e, 0x65, 0x45]

/** Whether a key of valid JSON text has an escape in it. Looks only at strings that have one. */
const hasEscapedKey = (text: string): boolean => {
  let at = text.indexOf("\\")
  while (at !== -1) {
    for (let unit = BACKSLASH; unit !== QUOTE; unit = text.charCodeAt(at)) at += unit === BACKSLASH ? 2 : 1
    do at++
    while (text.charCodeAt(at) <= SPACE)
    if (text.charCodeAt(at) === COLON) return true
    at = text.indexOf("\\", at)
  }
  return false
}

/**
 * The parsed value; throws as `JSON.parse` does. Costs a second pass when a key has an escape in it, which is rare: V8 12.8 and later may
 * read such a key as another one, with a backslash in it, that an object parsed before had in the same place (nodejs/node#63785).
 */
export const parseText = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  return hasEscapedKey(text) ? readValid(text).value : value
}

/** The parsed value. */
export const parse = (text: string): Result.Result<unknown, MalformedJson> => {
  try {
    return Result.succeed(parseText(text))
  } catch (error) {
    return Result.fail(new MalformedJson({ detail: error instanceof Error ? error.message : String(error) }))
  }
}

/** The place behind the string of valid JSON text that begins at `start`. */
const endOfString = (text: string, start: number): number => {
  let end = start + 1
  for (let unit = text.charCodeAt(end); unit !== QUOTE; unit = text.charCodeAt(end)) {
    end += unit === BACKSLASH ? 2 : 1
  }
  return end + 1
}

/** Digits that every number of a double has to spare. */
const SAFE_DIGITS = 15

const isDigitOrPoint = (unit: number): boolean => (unit >= ZERO && unit <= NINE) || unit === POINT

/**
 * Whether valid text has a number with sixteen digits or more, or with an exponent: one that a double may not hold. One pass; strings
 * without an escape are hopped over, so it takes a third of what `JSON.parse` does.
 */
const hasLongNumber = (text: string): boolean => {
  const escaped = text.includes("\\")
  const { length } = text
  for (let at = 0; at < length; ) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      at = escaped ? endOfString(text, at) : text.indexOf('"', at + 1) + 1
      continue
    }
    at++
    if (unit > NINE || unit < ZERO) continue
    const start = at - 1
    let next = text.charCodeAt(at)
    while (isDigitOrPoint(next)) next = text.charCodeAt(++at)
    if (at - start > SAFE_DIGITS || next === SMALL_E || next === LARGE_E) return true
  }
  return false
}

/** Whether any number inside could have been rounded from an integer beyond ±2^53, or overflowed. One cheap pass. */
const holdsSuspect = (value: unknown): boolean => {
  if (typeof value === "number") return isSuspect(value) || !Number.isFinite(value)
  if (typeof value !== "object" || value === null) return false
  const stack: Array<object> = [value]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    for (const key in node) {
      const child: unknown = node[key as keyof typeof node]
      if (typeof child === "number") {
        if (isSuspect(child) || !Number.isFinite(child)) return true
      } else if (typeof child === "object" && child !== null) stack.push(child)
    }
  }
  return false
}

/**
 * The numbers of `text` that would not come back as they were sent: integers beyond ±2^53 that a double cannot hold, and
 * numbers too large for one; none that is nested in more than {@link DEEPEST_NUMBER} objects and arrays. `value` is `text` parsed.
 *
 * The source of a number is only looked at when the text and the parsed value hold one that could have changed, which is rare.
 */
export const inexactNumbers = (text: string, value: unknown): ReadonlyArray<InexactNumber> =>
  hasLongNumber(text) && holdsSuspect(value) ? readValid(text).inexact : []
