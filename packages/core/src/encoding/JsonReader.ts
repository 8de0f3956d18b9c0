/**
 * A second reader for JSON text that `JSON.parse` has found valid, used where the result of `JSON.parse`
 * cannot be relied on: a key with an escape in it, a key that is repeated, or a number that a double may not
 * hold.
 *
 * It takes some ten times as long as `JSON.parse`, so only texts that need it are read here. It is always one
 * pass without recursion, whatever the text holds and however deep it is nested.
 */

/** A place where the parsed value is not what the text says. */
export interface Alteration {
  readonly path: ReadonlyArray<string | number>
  /**
   * The number as the sender wrote it, if it would be returned as a different number; undefined for a key
   * that is repeated in its object.
   */
  readonly literal: string | undefined
}

/** The parsed value of a text, and where it is not what the text says. */
export interface JsonReading {
  readonly value: unknown
  /**
   * Inexact numbers and repeated keys; undefined if there are none. Left out are those nested in more than
   * {@link DEEPEST_ALTERATION} objects and arrays, and, of a run of numbers in an array, all but the first:
   * there could be as many as the text is long.
   */
  readonly altered: Altered | undefined
}

/**
 * Alterations nested deeper than this are not looked for: nothing nested that deep is stored, and their paths
 * would grow without limit. Metadata has at most 32 levels, and the metadata of a target in a batch is itself
 * five levels deep.
 */
export const DEEPEST_ALTERATION = 40

const [QUOTE, BACKSLASH, COMMA, COLON, SPACE] = [0x22, 0x5c, 0x2c, 0x3a, 0x20]
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]
const [ZERO, LOWER_F, LOWER_N, LOWER_T] = [0x30, 0x66, 0x6e, 0x74]

/** Longer slices share the memory of the whole text and would keep all of it in memory. */
const LONGEST_COPIED = 12

/** Whether a double is an integer so large that other integers round to it. */
export const isSuspect = (value: number): boolean => !Number.isSafeInteger(value) && Number.isInteger(value)

/**
 * The decimal value of a literal as digits and a power of ten, so that two spellings of one number compare
 * equal.
 */
const decimal = (literal: string): string => {
  const mark = literal.search(/[eE]/)
  const mantissa = mark < 0 ? literal : literal.slice(0, mark)
  const sign = mantissa.startsWith("-") ? "-" : ""
  const point = mantissa.indexOf(".")
  const places = point < 0 ? 0 : mantissa.length - point - 1
  const digits =
    point < 0 ? mantissa.slice(sign.length) : mantissa.slice(sign.length, point) + mantissa.slice(point + 1)
  let start = 0
  while (digits.charCodeAt(start) === ZERO) start++
  let end = digits.length
  while (end > start && digits.charCodeAt(end - 1) === ZERO) end--
  const exponent = (mark < 0 ? 0 : Number(literal.slice(mark + 1))) - places + (digits.length - end)
  return start === end ? "0" : `${sign}${digits.slice(start, end)}e${exponent}`
}

/**
 * Whether a literal was read as a different number: an integer beyond ±2^53 that was rounded, or a number too
 * large for a double.
 */
const isInexact = (literal: string, value: number): boolean =>
  !Number.isFinite(value) || (isSuspect(value) && decimal(literal) !== decimal(String(value)))

/** Stands for a member whose key is repeated. Only the last of its values is in the parsed value. */
const REPEATED = Symbol("repeated key")

/**
 * An inexact literal, a repeated key, or those inside an object or an array, by key. Only an object needs a
 * map, which costs more.
 */
export type Altered =
  | string
  | typeof REPEATED
  | ReadonlyMap<string, Altered>
  | ReadonlyArray<readonly [number, Altered]>

/** An object or an array that has not ended yet. */
export interface Open {
  readonly node: object
  /** The key of the member whose value comes next; undefined in an array, and before a key. */
  key: string | undefined
  altered: Map<string, Altered> | Array<readonly [number, Altered]> | undefined
}

/** An object or an array that is still empty. */
export const open = (node: object): Open => ({ node, key: undefined, altered: undefined })

/** Sets a member. A plain assignment to `__proto__` would set the prototype. */
const setMember = (object: object, key: string, value: unknown): void => {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  } else (object as Record<string, unknown>)[key] = value
}

/** Whether what was found is, or begins with, a number. It then stands for the numbers next to it. */
const isNumber = (found: Altered | undefined): boolean => {
  let first = found
  while (Array.isArray(first)) first = first[0]?.[1]
  return typeof first === "string"
}

/**
 * Adds a value to the open object or array. If a key is repeated, the last value is kept, and the member is
 * known as repeated.
 */
export const put = (open: Open, value: unknown, found: Altered | undefined): void => {
  const { node, altered } = open
  if (Array.isArray(node)) {
    const index = node.push(value) - 1
    if (found === undefined) return
    if (Array.isArray(altered)) {
      if (!isNumber(altered.at(-1)?.[1]) || !isNumber(found)) altered.push([index, found])
    } else open.altered = [[index, found]]
    return
  }
  const key = open.key ?? ""
  const member = Object.hasOwn(node, key) ? REPEATED : found
  setMember(node, key, value)
  open.key = undefined
  if (member === undefined) return
  if (altered instanceof Map) altered.set(key, member)
  else open.altered = new Map([[key, member]])
}

/** The alterations, generated on demand. One path array is reused for all levels. */
export function* alterationsWithin(altered: Altered | undefined): Generator<Alteration> {
  const path: Array<string | number> = []
  const below = function* (part: Altered | undefined): Generator<Alteration> {
    if (part === REPEATED) yield { path: [...path], literal: undefined }
    else if (typeof part === "string") yield { path: [...path], literal: part }
    else {
      for (const [key, found] of part ?? []) {
        path.push(key)
        yield* below(found)
        path.pop()
      }
    }
  }
  yield* below(altered)
}

/** The index after the string that begins at `start`. */
const endOfString = (text: string, start: number): number => {
  let end = start + 1
  for (let unit = text.charCodeAt(end); unit !== QUOTE; unit = text.charCodeAt(end)) {
    end += unit === BACKSLASH ? 2 : 1
  }
  return end + 1
}

/** The index after the number, or the `true`, `false` or `null`, that begins at `start`. */
const endOfLiteral = (text: string, start: number): number => {
  let end = start
  for (let unit = text.charCodeAt(end); unit > SPACE; unit = text.charCodeAt(end)) {
    if (unit === COMMA || unit === CLOSE_BRACE || unit === CLOSE_BRACKET) break
    end++
  }
  return end
}

const stringBetween = (text: string, start: number, end: number): string => {
  const inner = end - start <= LONGEST_COPIED ? text.slice(start + 1, end - 1) : undefined
  return inner === undefined || inner.includes("\\") ? String(JSON.parse(text.slice(start, end))) : inner
}

/**
 * The objects and arrays that are open, from the outermost inwards. The outermost value is an item of an
 * array around it.
 */
class Reader {
  readonly #outer: Array<Open> = []
  #open = open([])

  begin(node: object): void {
    this.#outer.push(this.#open)
    this.#open = open(node)
  }

  end(): void {
    const { node, altered } = this.#open
    const isTooDeep = this.#outer.length > DEEPEST_ALTERATION
    this.#open = this.#outer.pop() as Open
    put(this.#open, node, isTooDeep ? undefined : altered)
  }

  string(text: string): void {
    if (this.#open.key === undefined && !Array.isArray(this.#open.node)) this.#open.key = text
    else put(this.#open, text, undefined)
  }

  number(literal: string): void {
    const value = Number(literal)
    put(this.#open, value, isInexact(literal, value) ? literal : undefined)
  }

  value(value: boolean | null): void {
    put(this.#open, value, undefined)
  }

  get reading(): JsonReading {
    const { node, altered } = this.#open
    const [value] = node as ReadonlyArray<unknown>
    return { value, altered: Array.isArray(altered) ? altered[0]?.[1] : undefined }
  }
}

/** Reads a text that is known to be valid JSON. */
export const readValid = (text: string): JsonReading => {
  const reader = new Reader()
  for (let at = 0; at < text.length; ) {
    const start = at
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      at = endOfString(text, start)
      reader.string(stringBetween(text, start, at))
      continue
    }
    if (unit <= SPACE || unit === COMMA || unit === COLON) at++
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
      reader.begin(unit === OPEN_BRACE ? {} : [])
      at++
    } else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) {
      reader.end()
      at++
    } else {
      at = endOfLiteral(text, start)
      if (unit === LOWER_T || unit === LOWER_F) reader.value(unit === LOWER_T)
      else if (unit === LOWER_N) reader.value(null)
      else reader.number(text.slice(start, at))
    }
  }
  return reader.reading
}
