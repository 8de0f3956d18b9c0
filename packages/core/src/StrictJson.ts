/**
 * JSON text (RFC 8259) read without silent change: what `JSON.parse` would round to another number is reported.
 *
 * Fractions round to the nearest double and the last of duplicate keys wins, as I-JSON (RFC 7493) readers expect.
 */
import { Result, Schema } from "effect"

/** The text is not JSON. */
export class MalformedJson extends Schema.TaggedError<MalformedJson>()("MalformedJson", {
  /** What the parser found, and where. */
  detail: Schema.String
}) {}

/** A number that would come back as another one. */
export interface InexactNumber {
  readonly path: ReadonlyArray<string | number>
  /** As the sender wrote it. */
  readonly literal: string
}

const [QUOTE, COLON, BACKSLASH, SPACE] = [0x22, 0x3a, 0x5c, 0x20]

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

/** A string of valid JSON text, and the colon that makes it a key. Quotes stand nowhere else, so each is found whole, in one pass. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g

const toUnits = (key: string): string =>
  key.replace(/./gs, (unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"))

const fromUnits = (units: string): string =>
  units.replace(/.{4}/g, (unit) => String.fromCharCode(Number.parseInt(unit, 16)))

/** Gives objects the keys that were written in hexadecimal after `marker`. */
const restoreKeys = (value: unknown, marker: string): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item) => restoreKeys(item, marker))
  const entries = Object.entries(value).map(([key, child]): [string, unknown] => [
    key.startsWith(marker) ? fromUnits(key.slice(marker.length)) : key,
    restoreKeys(child, marker)
  ])
  // Not by assignment, which would take `__proto__` for the prototype.
  return Object.fromEntries(entries)
}

/**
 * Valid text parsed without showing `JSON.parse` a key that has an escape in it: V8 12.8 and later may read such a key as another
 * one, with a backslash in it, that an object parsed before had in the same place (nodejs/node#63785).
 */
const parseEscapedKeys = (text: string): unknown => {
  let marker = "key "
  while (text.includes(marker)) marker += "key "
  const marked = text.replace(STRING, (token, colon: string | undefined) => {
    if (colon === undefined || !token.includes("\\")) return token
    const key = String(JSON.parse(token.slice(0, -colon.length)))
    const plain = JSON.stringify(key)
    return plain.includes("\\") ? `"${marker}${toUnits(key)}":` : `${plain}:`
  })
  return restoreKeys(JSON.parse(marked), marker)
}

/** The parsed value; throws as `JSON.parse` does. Costs a second pass when a key has an escape in it, which is rare. */
export const parseText = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  return hasEscapedKey(text) ? parseEscapedKeys(text) : value
}

/** The parsed value. */
export const parse = (text: string): Result.Result<unknown, MalformedJson> => {
  try {
    return Result.succeed(parseText(text))
  } catch (error) {
    return Result.fail(new MalformedJson({ detail: error instanceof Error ? error.message : String(error) }))
  }
}

/**
 * What only a text has with a number in it that a double may not hold: sixteen digits and more, or an exponent, where a number can
 * stand. Strings that look like it cost a second look.
 */
const LONG_NUMBER = /(?:^|[:,[\s])-?(?:[\d.]{16}|\d[\d.]*[eE])/

const isSuspect = (value: number): boolean => !Number.isSafeInteger(value) && Number.isInteger(value)

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

/** The decimal value of a literal as digits and a power of ten, so that two spellings of one number compare equal. */
const decimal = (literal: string): string => {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal)
  if (match === null) return literal
  const fraction = match[3] ?? ""
  const digits = `${match[2]}${fraction}`.replace(/^0+/, "")
  const trimmed = digits.replace(/0+$/, "")
  const exponent = Number(match[4] ?? 0) - fraction.length + (digits.length - trimmed.length)
  return trimmed === "" ? "0" : `${match[1]}${trimmed}e${exponent}`
}

type ReviverWithSource = (
  this: unknown,
  key: string,
  value: unknown,
  context: { readonly source?: string }
) => unknown

/**
 * The numbers of `text` that would not come back as they were sent: integers beyond ±2^53 that a double cannot hold, and
 * numbers too large for one. `value` is `text` parsed.
 *
 * The source of a number is only looked at when the text and the parsed value hold one that could have changed, which is rare.
 */
export const inexactNumbers = (text: string, value: unknown): ReadonlyArray<InexactNumber> => {
  if (!LONG_NUMBER.test(text) || !holdsSuspect(value)) return []
  const found: Array<InexactNumber> = []
  const literals = new Map<object, Map<string, string>>()
  let root: string | undefined
  const reviver: ReviverWithSource = function (key, child, context) {
    if (typeof child === "number" && context.source !== undefined) {
      const exact = Number.isFinite(child) && decimal(context.source) === decimal(String(child))
      if (!exact && (isSuspect(child) || !Number.isFinite(child))) {
        if (typeof this === "object" && this !== null) {
          const inner = literals.get(this) ?? new Map<string, string>()
          literals.set(this, inner.set(key, context.source))
        }
        root = context.source
      }
    }
    return child
  }
  const revived: unknown = JSON.parse(text, reviver as (key: string, value: unknown) => unknown)
  if (typeof revived === "number" && root !== undefined) return [{ path: [], literal: root }]
  const stack: Array<{ readonly node: unknown; readonly path: ReadonlyArray<string | number> }> = [
    { node: revived, path: [] }
  ]
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const { node, path } = entry
    if (typeof node !== "object" || node === null) continue
    const step = (key: string): string | number => (Array.isArray(node) ? Number(key) : key)
    for (const [key, literal] of literals.get(node) ?? []) found.push({ path: [...path, step(key)], literal })
    for (const key of Object.keys(node))
      stack.push({ node: node[key as keyof typeof node], path: [...path, step(key)] })
  }
  return found
}
