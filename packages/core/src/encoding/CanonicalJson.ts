/**
 * Canonical JSON (JCS, RFC 8785): one byte sequence for one JSON value, so that a hash of it can be
 * recomputed by anyone.
 *
 * Keys are sorted by UTF-16 code units (section 3.2.3), numbers are written as ECMAScript does (section
 * 3.2.2.3), and strings with its shortest escapes (section 3.2.2.2). A lone surrogate has no UTF-8 form, so a
 * value with one is an error.
 */
import { Result, Schema } from "effect"

/** A value that has no canonical form, with the path to the part that has none. */
export class NotCanonicalizable extends Schema.TaggedError<NotCanonicalizable>()("NotCanonicalizable", {
  /** Keys and indexes from the given value down to the offending part. */
  path: Schema.Array(Schema.Union([Schema.String, Schema.Number])),
  reason: Schema.Literals(["lone_surrogate", "not_finite", "not_json", "too_deep", "too_long"])
}) {}

/** Texts up to this many characters are checked here, which is faster than a call to the platform. */
const SHORT = 64
const [SPACE, QUOTE, BACKSLASH, BEYOND_ASCII] = [0x20, 0x22, 0x5c, 0x80]

/**
 * The canonical form of a string: RFC 8785 section 3.2.2.2 is what `JSON.stringify` does for well-formed
 * text.
 */
export const canonicalString = (text: string): string => {
  if (text.length > SHORT) return JSON.stringify(text)
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < SPACE || unit >= BEYOND_ASCII || unit === QUOTE || unit === BACKSLASH)
      return JSON.stringify(text)
  }
  return `"${text}"`
}

/** As {@link canonicalString}, with `null` for an absent value. */
export const canonicalStringOrNull = (text: string | null | undefined): string =>
  text === null || text === undefined ? "null" : canonicalString(text)

/**
 * Thrown inside the recursion only: building a `Result` at each level would cost more than writing the text.
 */
class Refusal {
  readonly path: Array<string | number> = []
  readonly reason: NotCanonicalizable["reason"]
  constructor(reason: NotCanonicalizable["reason"]) {
    this.reason = reason
  }
}

/** Characters that may still be written. */
interface Room {
  left: number
}

const take = (room: Room, characters: number): void => {
  room.left -= characters
  if (room.left < 0) throw new Refusal("too_long")
}

const writeString = (text: string, room: Room): string => {
  take(room, text.length + 2)
  if (!text.isWellFormed()) throw new Refusal("lone_surrogate")
  return canonicalString(text)
}

const write = (value: unknown, depth: number, room: Room): string => {
  switch (typeof value) {
    case "string":
      return writeString(value, room)
    case "number": {
      if (!Number.isFinite(value)) throw new Refusal("not_finite")
      const text = Object.is(value, -0) ? "0" : String(value)
      take(room, text.length)
      return text
    }
    case "boolean":
      return value ? "true" : "false"
    case "object":
      return value === null ? "null" : writeNode(value, depth, room)
    default:
      throw new Refusal("not_json")
  }
}

const writeNode = (value: object, depth: number, room: Room): string => {
  const node = "toJSON" in value && typeof value.toJSON === "function" ? value.toJSON() : value
  if (typeof node !== "object" || node === null) return write(node, depth, room)
  if (depth === 0) throw new Refusal("too_deep")
  return Array.isArray(node) ? writeArray(node, depth - 1, room) : writeObject(node, depth - 1, room)
}

const writeArray = (items: ReadonlyArray<unknown>, depth: number, room: Room): string => {
  take(room, items.length + 1)
  let text = "["
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += ","
    try {
      text += write(items[index], depth, room)
    } catch (refusal) {
      throw locate(refusal, index)
    }
  }
  return `${text}]`
}

const writeObject = (object: object, depth: number, room: Room): string => {
  const keys = Object.keys(object)
  take(room, 2 * keys.length + 1)
  // The default sort compares UTF-16 code units, as RFC 8785 section 3.2.3 asks.
  keys.sort()
  let text = "{"
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string
    const member: unknown = object[key as keyof typeof object]
    if (member === undefined) continue
    if (text.length > 1) text += ","
    try {
      text += `${writeString(key, room)}:${write(member, depth, room)}`
    } catch (refusal) {
      throw locate(refusal, key)
    }
  }
  return `${text}}`
}

const locate = (refusal: unknown, step: string | number): unknown => {
  if (refusal instanceof Refusal) refusal.path.unshift(step)
  return refusal
}

/**
 * The canonical form of a JSON value as text; its UTF-8 bytes are what is hashed.
 *
 * `maxDepth` counts nested objects and arrays, the outermost included. Costs one pass and a sort of each
 * object's keys. Writing stops with an error soon after the form is known to have more than `maxLength`
 * characters; a form that is only a little longer may still be returned.
 *
 * A value need not come from a JSON parser: members that are `undefined` are left out and `toJSON` is called,
 * as `JSON.stringify` does.
 */
export const canonicalize = (
  value: unknown,
  maxDepth = Number.POSITIVE_INFINITY,
  maxLength = Number.POSITIVE_INFINITY
): Result.Result<string, NotCanonicalizable> => {
  try {
    return Result.succeed(write(value, maxDepth, { left: maxLength }))
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal
    return Result.fail(new NotCanonicalizable({ path: refusal.path, reason: refusal.reason }))
  }
}
