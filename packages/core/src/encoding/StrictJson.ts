/**
 * JSON text (RFC 8259) read without silent change: what `JSON.parse` would round to another number, and a key
 * that is repeated in its object (RFC 7493 section 2.3), are reported.
 *
 * Fractions round to the nearest double, as I-JSON (RFC 7493) readers expect.
 *
 * `JSON.parse` does the work. One more pass over the text finds keys and numbers for which `JSON.parse`
 * cannot be relied on; texts that have some are read again by `JsonReader.ts`. Nothing here recurses, and
 * every cost is linear in the length of the text.
 */
import { Result, Schema } from "effect"
import { isSuspect, type JsonReading, readValid } from "./JsonReader.ts"

export { type Alteration, type Altered, alterationsWithin, DEEPEST_ALTERATION } from "./JsonReader.ts"

/** The text is not JSON. */
export class MalformedJson extends Schema.TaggedError<MalformedJson>()("MalformedJson", {
  /** What the parser found wrong, and where. */
  detail: Schema.String
}) {}

const [QUOTE, COLON, BACKSLASH, SPACE] = [0x22, 0x3a, 0x5c, 0x20]
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]
const [ZERO, NINE, POINT, SMALL_E, LARGE_E] = [0x30, 0x39, 0x2e, 0x65, 0x45]

/** The index after the string that begins at `start`; past the end of the text if the string does not end. */
export const endOfString = (text: string, start: number): number => {
  const { length } = text
  let end = start + 1
  while (end < length) {
    const unit = text.charCodeAt(end)
    if (unit === QUOTE) break
    end += unit === BACKSLASH ? 2 : 1
  }
  return end + 1
}

/** Whether a key of valid JSON text has an escape in it. Only strings with an escape are examined. */
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

/** The most nested objects and arrays. The longest body allowed for one event can hardly hold more. */
export const MAX_DEPTH = 100_000

/** Whether more than {@link MAX_DEPTH} brackets are open anywhere. Works for any text, valid or not. */
const isTooDeep = (text: string): boolean => {
  // A shorter text cannot be nested deeper. Text that ends with open brackets is no JSON, and fails sooner.
  if (text.length <= MAX_DEPTH) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) at = endOfString(text, at) - 1
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
      if (++depth > MAX_DEPTH) return true
    } else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) depth--
  }
  return false
}

/** The error for a text that is nested too deep. */
export const tooDeep = (): SyntaxError =>
  new SyntaxError(`More than ${MAX_DEPTH} nested objects and arrays in JSON`)

/**
 * The parsed value; throws as `JSON.parse` does. Costs a second pass when a key has an escape in it, which is
 * rare: V8 12.8 and later may mistake such a key for a different one with a backslash in it, which an object
 * parsed earlier had in the same place (nodejs/node#63785).
 */
export const parseText = (text: string): unknown => {
  // Each garbage collection visits everything that `JSON.parse` has open. Without a limit that costs the
  // square of the depth.
  if (isTooDeep(text)) throw tooDeep()
  const value: unknown = JSON.parse(text)
  return hasEscapedKey(text) ? readValid(text).value : value
}

const attempt = <A>(read: (text: string) => A, text: string): Result.Result<A, MalformedJson> => {
  try {
    return Result.succeed(read(text))
  } catch (error) {
    return Result.fail(new MalformedJson({ detail: error instanceof Error ? error.message : String(error) }))
  }
}

/** The parsed value. */
export const parse = (text: string): Result.Result<unknown, MalformedJson> => attempt(parseText, text)

/** A double keeps at least this many digits of any number. */
const SAFE_DIGITS = 15

const isDigitOrPoint = (unit: number): boolean => (unit >= ZERO && unit <= NINE) || unit === POINT

/**
 * What one pass over valid text finds. It skips strings without an escape and takes a third of the time of
 * `JSON.parse`.
 */
class Overview {
  /** Members of all objects together: each has one colon. */
  members = 0
  /** Whether it has a number with sixteen digits or more, or with an exponent: a double may not hold it. */
  hasLongNumber = false
  readonly #text: string

  /**
   * The search for the next quote stands outside any condition and inner loop, once for each string: V8 may
   * move such a search ahead of a condition and run it at every character, which would cost the square of the
   * length.
   */
  constructor(text: string) {
    this.#text = text
    const escaped = text.includes("\\")
    let at = 0
    for (;;) {
      const quote = text.indexOf('"', at)
      this.#between(at, quote < 0 ? text.length : quote)
      if (quote < 0) return
      at = escaped ? endOfString(text, quote) : text.indexOf('"', quote + 1) + 1
    }
  }

  /** Adds what stands between two places that have no string between them. */
  #between(start: number, end: number): void {
    const text = this.#text
    for (let at = start; at < end; at++) {
      const unit = text.charCodeAt(at)
      if (unit === COLON) this.members++
      else if (unit <= NINE && unit >= ZERO) {
        const first = at
        let next = text.charCodeAt(at + 1)
        while (isDigitOrPoint(next)) next = text.charCodeAt(++at + 1)
        if (at - first >= SAFE_DIGITS || next === SMALL_E || next === LARGE_E) this.hasLongNumber = true
      }
    }
  }
}

/** Members of all objects inside a parsed value together, where each key counts once. */
const membersOf = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0
  const stack: Array<object> = [value]
  let members = 0
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (Array.isArray(node)) {
      for (const item of node) if (typeof item === "object" && item !== null) stack.push(item)
      continue
    }
    for (const key in node) {
      members++
      const child: unknown = node[key as keyof typeof node]
      if (typeof child === "object" && child !== null) stack.push(child)
    }
  }
  return members
}

/**
 * Whether any number inside could have been rounded from an integer beyond ±2^53, or overflowed. One cheap
 * pass.
 */
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
 * Whether the value of a text is surely all that the text says: it has as many members as the text has, and
 * no number that could have changed. The text is read again only if it is not, which is rare.
 */
const isFaithful = (text: string, value: unknown): boolean => {
  const { members, hasLongNumber } = new Overview(text)
  return members === membersOf(value) && !(hasLongNumber && holdsSuspect(value))
}

/**
 * The parsed value, and where it is not what the text says: integers beyond ±2^53 that a double cannot hold,
 * numbers too large for a double, and repeated keys. Throws as `JSON.parse` does.
 */
export const readText = (text: string): JsonReading => {
  if (isTooDeep(text)) throw tooDeep()
  const value: unknown = JSON.parse(text)
  return hasEscapedKey(text) || !isFaithful(text, value) ? readValid(text) : { value, altered: undefined }
}

/** The same as a `Result`. */
export const read = (text: string): Result.Result<JsonReading, MalformedJson> => attempt(readText, text)
