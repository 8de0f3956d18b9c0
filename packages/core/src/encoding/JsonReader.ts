/**
 * JSON text that `JSON.parse` has found valid, read once more by our own hand, where its answer cannot be
 * relied on: a key with an escape in it, or a number that a double may not hold.
 *
 * Takes some ten times as long as `JSON.parse`, so only texts that need it come here; always one pass,
 * whatever the text holds, and no recursion, however deep it is nested.
 */

/** A number that would come back as another one. */
export interface InexactNumber {
  readonly path: ReadonlyArray<string | number>
  /** As the sender wrote it. */
  readonly literal: string
}

/** What a text holds. */
export interface JsonReading {
  readonly value: unknown
  /**
   * Those nested in more than {@link DEEPEST_NUMBER} objects and arrays are left out, and of those that
   * follow each other in an array all but the first: as many may be told of as the text is long. Undefined
   * where there is none.
   */
  readonly inexact: Inexact | undefined
}

/**
 * Nesting beyond which inexact numbers are not looked for: nothing is kept that is nested as deep, and paths
 * would grow without end. Metadata has at most 32 levels, and that of a target in a batch stands five levels
 * deep.
 */
export const DEEPEST_NUMBER = 40

const [QUOTE, BACKSLASH, COMMA, COLON, SPACE] = [0x22, 0x5c, 0x2c, 0x3a, 0x20]
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]
const [ZERO, LOWER_F, LOWER_N, LOWER_T] = [0x30, 0x66, 0x6e, 0x74]

/** Longer slices share the memory of the whole text, and would keep all of it alive. */
const LONGEST_COPIED = 12

/** Whether a double is an integer that has neighbours which round to it. */
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
 * Whether a literal was read as another number than it says: an integer beyond ±2^53 that was rounded, or one
 * too large for a double.
 */
const isInexact = (literal: string, value: number): boolean =>
  !Number.isFinite(value) || (isSuspect(value) && decimal(literal) !== decimal(String(value)))

/**
 * A literal that is inexact, or those within an object or an array by their keys. A map costs more, and only
 * an object needs one.
 */
export type Inexact = string | ReadonlyMap<string, Inexact> | ReadonlyArray<readonly [number, Inexact]>

/** An object or an array that has not ended yet. */
export interface Open {
  readonly node: object
  /** The key of the member whose value comes next; undefined in an array, and where a key comes next. */
  key: string | undefined
  inexact: Map<string, Inexact> | Array<readonly [number, Inexact]> | undefined
}

/** An object or an array that has nothing in it yet. */
export const open = (node: object): Open => ({ node, key: undefined, inexact: undefined })

/** Not by assignment, which would take `__proto__` for the prototype. */
const setMember = (object: object, key: string, value: unknown): void => {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  } else (object as Record<string, unknown>)[key] = value
}

/**
 * Whether what was found is, or begins with, a number that no repeated key can take away, and that is kept if
 * its neighbours are.
 */
const isSure = (found: Inexact | undefined): boolean => {
  let first = found
  while (Array.isArray(first)) first = first[0]?.[1]
  return typeof first === "string"
}

/** Puts a value where it belongs. The last of repeated keys wins, with what was found in it. */
export const put = (open: Open, value: unknown, found: Inexact | undefined): void => {
  const { node, inexact } = open
  if (Array.isArray(node)) {
    const index = node.push(value) - 1
    if (found === undefined) return
    if (Array.isArray(inexact)) {
      if (!isSure(inexact.at(-1)?.[1]) || !isSure(found)) inexact.push([index, found])
    } else open.inexact = [[index, found]]
    return
  }
  const key = open.key ?? ""
  setMember(node, key, value)
  open.key = undefined
  const members = inexact instanceof Map ? inexact : undefined
  if (found === undefined) members?.delete(key)
  else if (members === undefined) open.inexact = new Map([[key, found]])
  else members.set(key, found)
}

/**
 * The numbers, in the order of the text, as they are asked for; what `enter` refuses by its path is not
 * looked into. A path is made once and not anew at every level that a number is nested in.
 */
export function* numbersWithin(
  inexact: Inexact | undefined,
  enter: (path: ReadonlyArray<string | number>) => boolean = () => true,
  path: Array<string | number> = []
): Generator<InexactNumber> {
  if (typeof inexact === "string") yield { path: [...path], literal: inexact }
  else {
    for (const [key, found] of inexact ?? []) {
      path.push(key)
      if (enter(path)) yield* numbersWithin(found, enter, path)
      path.pop()
    }
  }
}

/** The place behind the string that begins at `start`. */
const endOfString = (text: string, start: number): number => {
  let end = start + 1
  for (let unit = text.charCodeAt(end); unit !== QUOTE; unit = text.charCodeAt(end)) {
    end += unit === BACKSLASH ? 2 : 1
  }
  return end + 1
}

/** The place behind the number or the name that begins at `start`. */
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
 * What is open, from the outermost inwards, and the outermost value itself as the member of an array around
 * it.
 */
class Reader {
  readonly #outer: Array<Open> = []
  #open = open([])

  begin(node: object): void {
    this.#outer.push(this.#open)
    this.#open = open(node)
  }

  end(): void {
    const { node, inexact } = this.#open
    this.#open = this.#outer.pop() as Open
    put(this.#open, node, inexact)
  }

  string(text: string): void {
    if (this.#open.key === undefined && !Array.isArray(this.#open.node)) this.#open.key = text
    else put(this.#open, text, undefined)
  }

  number(literal: string): void {
    const value = Number(literal)
    const found = this.#outer.length <= DEEPEST_NUMBER && isInexact(literal, value) ? literal : undefined
    put(this.#open, value, found)
  }

  value(value: boolean | null): void {
    put(this.#open, value, undefined)
  }

  get reading(): JsonReading {
    const { node, inexact } = this.#open
    const [value] = node as ReadonlyArray<unknown>
    return { value, inexact: Array.isArray(inexact) ? inexact[0]?.[1] : undefined }
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
