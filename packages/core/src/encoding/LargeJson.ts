/**
 * Large JSON text (RFC 8259), read a piece at a time, so that other work can run in between: as one text, it
 * may keep `JSON.parse` busy for a second.
 *
 * One pass over the brackets, commas and strings cuts the text into pieces. Short items and members are
 * passed, together with those next to them, to `StrictJson.readText`; only objects and arrays that are too
 * long for that are put together here. So each character is read twice, at any depth. The text is malformed
 * if any of its pieces is.
 */
import { Result } from "effect"
import { type Altered, DEEPEST_ALTERATION, type JsonReading, type Open, open, put } from "./JsonReader.ts"
import { type Steps, TURN_SIZE } from "./Pace.ts"
import { endOfString, MAX_DEPTH, MalformedJson, readText, tooDeep } from "./StrictJson.ts"

/**
 * A piece ends once it has this many characters. It is less than twice as long, unless it holds one long
 * string.
 */
const PIECE = TURN_SIZE / 4

/**
 * The most members of a long object. Of the members after these, only the ones with requested names are kept.
 * Going through the names of a million members takes a third of a second, and metadata with that many is
 * rejected for its length.
 */
export const MAX_MEMBERS = 65_536

const [QUOTE, COMMA, SPACE] = [0x22, 0x2c, 0x20]
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]
const [TAB, LINE_FEED, CARRIAGE_RETURN] = [0x09, 0x0a, 0x0d]

const isSpace = (unit: number): boolean =>
  unit === SPACE || unit === LINE_FEED || unit === CARRIAGE_RETURN || unit === TAB

/**
 * The objects and arrays that are open, indexed by depth; at depth 0 is an array around the outermost value.
 * Each field is a list of its own, without an object per level, because most levels are closed a few
 * characters later.
 */
class Pieces {
  readonly #text: string
  readonly #names: ReadonlySet<string>
  #at = 0
  #depth = 0
  /** Where the current step ends. It moves back with each character that is parsed. */
  #stop = 0
  /** Where the object or array opens. */
  readonly #starts = [-1]
  /** The first character that has not been parsed, or is not known to be short enough. */
  readonly #pending = [0]
  /** Where its current item or member begins; before {@link #pending} if that item has been added already. */
  readonly #items = [0]
  /** The part that has been read; undefined as long as it is short. */
  readonly #opens: Array<Open | undefined> = [open([])]
  /** How many members that part has, if it is an object. */
  readonly #members = [0]

  constructor(text: string, names: ReadonlySet<string>) {
    this.#text = text
    this.#names = names
  }

  /** Does one step. Returns the value, inside an array, when the text has been read to its end. */
  step(): Open | undefined {
    const text = this.#text
    this.#stop = Math.min(text.length, this.#at + PIECE)
    while (this.#at < this.#stop) {
      const at = this.#at
      const unit = text.charCodeAt(at)
      this.#at = unit === QUOTE ? endOfString(text, at) : at + 1
      if (unit === COMMA) this.#comma(at)
      else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) this.#begin(at)
      else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) this.#end(at, unit)
    }
    return this.#at < text.length ? undefined : this.#finish()
  }

  #begin(at: number): void {
    if (this.#depth === MAX_DEPTH) throw tooDeep()
    const depth = ++this.#depth
    this.#starts[depth] = at
    this.#pending[depth] = at + 1
    this.#items[depth] = at + 1
    this.#opens[depth] = undefined
    this.#members[depth] = 0
  }

  #comma(at: number): void {
    const depth = this.#depth
    const pending = this.#pendingAt(depth)
    if (depth === 0) throw this.#malformed(at, at + 1)
    if (pending > this.#itemAt(depth)) this.#blank(pending, at)
    else if (at - pending < PIECE) {
      this.#items[depth] = at + 1
      return
    } else this.#parse(depth, at)
    this.#pending[depth] = at + 1
    this.#items[depth] = at + 1
  }

  #end(at: number, unit: number): void {
    const depth = this.#depth
    const start = this.#startAt(depth)
    const isObject = unit === CLOSE_BRACE
    if (depth === 0 || isObject !== this.#isObject(depth)) throw this.#malformed(at, at + 1)
    this.#depth--
    if (this.#opens[depth] === undefined && at - start < PIECE) return
    const pending = this.#pendingAt(depth)
    if (pending > this.#itemAt(depth)) this.#blank(pending, at)
    else if (pending === start + 1 && this.#isBlank(pending, at)) this.#openAt(depth)
    else this.#parse(depth, at)
    const { node, altered } = this.#openAt(depth)
    this.#putItem(start, node, depth <= DEEPEST_ALTERATION ? altered : undefined)
  }

  /**
   * Adds what was just closed, which began at `start`, to the object or array around it, after everything
   * that precedes it.
   */
  #putItem(start: number, node: object, altered: Open["altered"]): void {
    const depth = this.#depth
    const pending = this.#pendingAt(depth)
    const item = this.#itemAt(depth)
    // Two values without a comma between them.
    if (pending > item) throw this.#malformed(pending, start)
    if (item > pending) this.#parse(depth, item - 1)
    this.#pending[depth] = this.#at
    if (this.#isObject(depth)) this.#putMember(depth, this.#key(item, start), node, altered)
    else {
      this.#blank(item, start)
      put(this.#openAt(depth), node, altered)
    }
  }

  #putMember(depth: number, key: string, value: unknown, altered: Altered | undefined): void {
    const around = this.#openAt(depth)
    // A repeated name is not another member, however many there were.
    if (!Object.hasOwn(around.node, key)) {
      const members = this.#members[depth] ?? 0
      if (members >= MAX_MEMBERS && !this.#names.has(key)) return
      this.#members[depth] = members + 1
    }
    around.key = key
    put(around, value, altered)
  }

  #finish(): Open {
    if (this.#depth > 0) throw this.#malformed(this.#startAt(this.#depth), this.#text.length)
    const outermost = this.#openAt(0)
    const pending = this.#pendingAt(0)
    if (pending > 0) this.#blank(pending, this.#text.length)
    else {
      // Nothing in it is long, except white space or one string or number.
      const { value, altered } = this.#read(this.#text, 0, this.#text.length)
      put(outermost, value, altered)
    }
    return outermost
  }

  /** Parses the items or members that are pending up to `end`: at least one. */
  #parse(depth: number, end: number): void {
    const start = this.#pendingAt(depth)
    const isObject = this.#isObject(depth)
    const piece = this.#text.slice(start, end)
    this.#stop -= piece.length
    const { value, altered } = this.#read(isObject ? `{${piece}}` : `[${piece}]`, start, end)
    if (Array.isArray(value)) {
      if (value.length === 0) throw this.#malformed(start, end)
      const found = Array.isArray(altered) ? altered : []
      const into = this.#openAt(depth)
      let next = 0
      for (let index = 0; index < value.length; index++) {
        put(into, value[index], found[next]?.[0] === index ? found[next++]?.[1] : undefined)
      }
      return
    }
    const keys = Object.keys(value as object)
    if (keys.length === 0) throw this.#malformed(start, end)
    const found = altered instanceof Map ? altered : undefined
    for (const key of keys) {
      this.#putMember(depth, key, (value as Record<string, unknown>)[key], found?.get(key))
    }
  }

  /** The key between two indexes, where there is nothing but the key and its colon. */
  #key(start: number, end: number): string {
    const { value } = this.#read(`{${this.#text.slice(start, end)}[]}`, start, end)
    const [key, ...others] = Object.keys(value as object)
    if (key === undefined || others.length > 0) throw this.#malformed(start, end)
    return key
  }

  #read(piece: string, start: number, end: number): JsonReading {
    try {
      return readText(piece)
    } catch {
      throw this.#malformed(start, end)
    }
  }

  #isBlank(start: number, end: number): boolean {
    for (let at = start; at < end; at++) if (!isSpace(this.#text.charCodeAt(at))) return false
    return true
  }

  #blank(start: number, end: number): void {
    if (!this.#isBlank(start, end)) throw this.#malformed(start, end)
  }

  #openAt(depth: number): Open {
    const known = this.#opens[depth]
    if (known !== undefined) return known
    const made = open(this.#isObject(depth) ? {} : [])
    this.#opens[depth] = made
    return made
  }

  #isObject(depth: number): boolean {
    return depth > 0 && this.#text.charCodeAt(this.#startAt(depth)) === OPEN_BRACE
  }

  #startAt(depth: number): number {
    return this.#starts[depth] ?? 0
  }

  #pendingAt(depth: number): number {
    return this.#pending[depth] ?? 0
  }

  #itemAt(depth: number): number {
    return this.#items[depth] ?? 0
  }

  #malformed(start: number, end: number): SyntaxError {
    return new SyntaxError(
      start + 1 < end
        ? `There is an error between the characters ${start + 1} and ${end}`
        : `Unexpected ${JSON.stringify(this.#text.charAt(start))} at character ${start + 1}`
    )
  }
}

/**
 * Reads a text in steps of at most about {@link TURN_SIZE} characters, unless a single string is longer. The
 * value and the errors are those of `StrictJson.readText`, except for an object with more than 65,536
 * members: of the members after those, only the ones named in `names` are kept.
 */
export function* readLarge(
  text: string,
  names: ReadonlySet<string>
): Steps<Result.Result<JsonReading, MalformedJson>> {
  const pieces = new Pieces(text, names)
  try {
    for (;;) {
      const outermost = pieces.step()
      if (outermost === undefined) {
        yield
        continue
      }
      const [value] = outermost.node as ReadonlyArray<unknown>
      const { altered } = outermost
      return Result.succeed({ value, altered: Array.isArray(altered) ? altered[0]?.[1] : undefined })
    }
  } catch (error) {
    return Result.fail(new MalformedJson({ detail: error instanceof Error ? error.message : String(error) }))
  }
}
