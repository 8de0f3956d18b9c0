/**
 * Whether bytes are the canonical JSON (RFC 8785) of an event's content, found by walking over them once, without parsing them.
 *
 * Who reads a content from a file hashes its bytes as they stand. If they had a second spelling, a key that stands twice or a number
 * that rounds, two readers could see two contents under one hash; so any other spelling is refused. Costs a quarter of parsing
 * the text and writing it again, and no allocation: a verifier asks this of every event.
 */

const [QUOTE, BACKSLASH, COMMA, COLON, MINUS, POINT] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2e]
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]
const [ZERO, NINE] = [0x30, 0x39]
const [E, F, N, T, U] = [0x65, 0x66, 0x6e, 0x74, 0x75]
/** The first byte that a string may hold as it is. */
const SPACE = 0x20
/** The first byte of a character that is not ASCII is this or above. */
const BEYOND_ASCII = 0x80

/** What may follow a backslash, but for `u`: the short escapes of RFC 8785 section 3.2.2.2. */
const SHORT_ESCAPES = new Set(Array.from('"\\bfnrt', (character) => character.charCodeAt(0)))

/** Control characters without a short escape, written `\u00xx` in lower case. A lone surrogate has no canonical form. */
const LONG_ESCAPE = /^u00(?:0[0-7bef]|1[0-9a-f])$/

/** Digits that every integer of a double has to spare. */
const SAFE_DIGITS = 15

/** Characters of the longest number that ECMAScript writes: `-1.2345678901234567e-100`. */
const LONGEST_NUMBER = 24

/** Nested objects and arrays beyond which a text is refused, so that none can exhaust the stack. Ingestion takes 32. */
const MAX_DEPTH = 64

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const ascii = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))

/** What stands between the values of a content, in its order. */
const ENVELOPE = {
  action: ascii('{"action":'),
  actionCategory: ascii(',"action_category":'),
  actor: ascii(',"actor":{"id":'),
  name: ascii(',"name":'),
  type: ascii(',"type":'),
  idempotencyKey: ascii('},"idempotency_key":'),
  ipCity: ascii(',"ip_city":'),
  ipCountry: ascii(',"ip_country":'),
  metadata: ascii(',"metadata":'),
  occurredAt: ascii(',"occurred_at":'),
  resource: ascii(',"resource":{"id":'),
  sessionId: ascii('},"session_id":'),
  targets: ascii(',"targets":['),
  tenantId: ascii(',"tenant_id":'),
  version: ascii(',"version":'),
  end: ascii("}")
}

/** What a target leaves out it does not have. */
const TARGET = {
  open: ascii("{"),
  id: ascii('"id":'),
  metadata: ascii('"metadata":'),
  name: ascii('"name":'),
  type: ascii('"type":')
}

const LITERALS = { null: ascii("null"), true: ascii("true"), false: ascii("false") }

/** A walk over bytes; `at` is where it stands, and -1 once something was not as it has to be. */
class Walk {
  at: number
  readonly #bytes: Uint8Array
  readonly #end: number
  /** Whether the string passed last was more than plain ASCII: escaped, or with other characters. */
  #special = false

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.at = start
    this.#bytes = bytes
    this.#end = end
  }

  get ended(): boolean {
    return this.at === this.#end
  }

  /** The byte at hand; 0, which stands nowhere in JSON, at the end and after a failure. */
  get #byte(): number {
    return this.at >= 0 && this.at < this.#end ? (this.#bytes[this.at] as number) : 0
  }

  accept(expected: Uint8Array): boolean {
    const { at } = this
    if (at < 0 || at + expected.length > this.#end) return false
    for (let index = 0; index < expected.length; index++) {
      if (this.#bytes[at + index] !== expected[index]) return false
    }
    this.at = at + expected.length
    return true
  }

  expect(expected: Uint8Array): void {
    if (!this.accept(expected)) this.at = -1
  }

  #acceptByte(byte: number): boolean {
    const found = this.#byte === byte
    if (found) this.at++
    return found
  }

  expectByte(byte: number): void {
    if (!this.#acceptByte(byte)) this.at = -1
  }

  string(): void {
    const bytes = this.#bytes
    this.#special = false
    if (this.#byte !== QUOTE) {
      this.at = -1
      return
    }
    let at = this.at + 1
    let beyond = 0
    for (;;) {
      const byte = at < this.#end ? (bytes[at] as number) : 0
      if (byte === QUOTE) break
      if (byte === BACKSLASH) {
        at = this.#escape(at + 1)
        if (at < 0) break
        this.#special = true
      } else if (byte < SPACE) {
        this.at = -1
        return
      } else {
        beyond |= byte
        at++
      }
    }
    if (beyond >= BEYOND_ASCII) this.#special = true
    this.at = at < 0 || (beyond >= BEYOND_ASCII && !isUtf8(bytes, this.at, at)) ? -1 : at + 1
  }

  /** The place after an escape whose letter stands at `at`. */
  #escape(at: number): number {
    const byte = at < this.#end ? (this.#bytes[at] as number) : 0
    if (SHORT_ESCAPES.has(byte)) return at + 1
    if (byte !== U || at + 5 > this.#end) return -1
    return LONG_ESCAPE.test(String.fromCharCode(...this.#bytes.subarray(at, at + 5))) ? at + 5 : -1
  }

  stringOrNull(): void {
    if (this.#byte === QUOTE) this.string()
    else this.expect(LITERALS.null)
  }

  objectOrNull(): void {
    if (this.#byte === OPEN_BRACE) this.object(MAX_DEPTH)
    else this.expect(LITERALS.null)
  }

  numberOrNull(): void {
    if (this.#byte === N) this.expect(LITERALS.null)
    else this.number()
  }

  number(): void {
    const start = this.at
    if (start < 0) return
    const negative = this.#acceptByte(MINUS)
    const first = this.at
    const whole = this.#digits()
    const zero = whole === 1 && this.#bytes[first] === ZERO
    // A second digit after a zero is the one beginning that a number cannot have.
    if (whole > 0 && (zero || this.#bytes[first] !== ZERO)) {
      if (this.#byte === POINT) {
        if (this.#fraction(whole, zero)) return
      } else if (whole <= SAFE_DIGITS && this.#byte !== E && !(zero && negative)) return
    }
    this.at = start
    this.#otherNumber()
  }

  /** Takes digits and says how many. */
  #digits(): number {
    const start = this.at
    while (this.#byte >= ZERO && this.#byte <= NINE) this.at++
    return this.at - start
  }

  /**
   * Takes a fraction and says whether the number is surely spelt as ECMAScript does: no two decimals of up to fifteen digits are
   * the same double, so none that ends in another digit than 0 has a shorter spelling; below a millionth it takes an exponent.
   */
  #fraction(whole: number, zero: boolean): boolean {
    this.at++
    const start = this.at
    const digits = this.#digits()
    if (digits === 0 || whole + digits > SAFE_DIGITS || this.#byte === E) return false
    if (this.#bytes[this.at - 1] === ZERO) return false
    let zeros = 0
    while (zero && this.#bytes[start + zeros] === ZERO) zeros++
    return zeros < 6
  }

  /** Takes any other number: ECMAScript's spelling of it is the canonical one, but for minus zero, which is spelt "0". */
  #otherNumber(): void {
    let literal = ""
    while (isNumberByte(this.#byte) && literal.length <= LONGEST_NUMBER) {
      literal += String.fromCharCode(this.#byte)
      this.at++
    }
    const value = Number(literal)
    if (literal === "" || !Number.isFinite(value) || String(value) !== literal) this.at = -1
  }

  value(depth: number): void {
    const byte = this.#byte
    if (byte === QUOTE) this.string()
    else if (byte === OPEN_BRACE) this.object(depth)
    else if (byte === OPEN_BRACKET) this.array(depth)
    else if (byte === N) this.expect(LITERALS.null)
    else if (byte === T) this.expect(LITERALS.true)
    else if (byte === F) this.expect(LITERALS.false)
    else this.number()
  }

  array(depth: number): void {
    this.expectByte(OPEN_BRACKET)
    if (depth === 0) this.at = -1
    if (this.#acceptByte(CLOSE_BRACKET)) return
    do this.value(depth - 1)
    while (this.#acceptByte(COMMA))
    this.expectByte(CLOSE_BRACKET)
  }

  /** Each key comes after the one before it by UTF-16 code units (RFC 8785 section 3.2.3), so none stands twice. */
  object(depth: number): void {
    this.expectByte(OPEN_BRACE)
    if (depth === 0) this.at = -1
    if (this.#acceptByte(CLOSE_BRACE)) return
    let before = -1
    let beforeEnd = -1
    let beforeSpecial = false
    do {
      const start = this.at
      this.string()
      const end = this.at
      const special = this.#special
      if (end < 0) return
      if (before >= 0 && !this.#ascends(before, beforeEnd, start, end, special || beforeSpecial)) this.at = -1
      before = start
      beforeEnd = end
      beforeSpecial = special
      this.expectByte(COLON)
      this.value(depth - 1)
    } while (this.#acceptByte(COMMA))
    this.expectByte(CLOSE_BRACE)
  }

  /** Whether the key between these quotes comes before the other. */
  #ascends(one: number, oneEnd: number, other: number, otherEnd: number, special: boolean): boolean {
    const bytes = this.#bytes
    if (special) return stringAt(bytes, one, oneEnd) < stringAt(bytes, other, otherEnd)
    const length = Math.min(oneEnd - one, otherEnd - other) - 2
    for (let index = 1; index <= length; index++) {
      const difference = (bytes[one + index] as number) - (bytes[other + index] as number)
      if (difference !== 0) return difference < 0
    }
    return oneEnd - one < otherEnd - other
  }

  target(): void {
    this.expect(TARGET.open)
    if (this.accept(TARGET.id)) {
      this.string()
      this.expectByte(COMMA)
    }
    if (this.accept(TARGET.metadata)) {
      this.object(MAX_DEPTH)
      this.expectByte(COMMA)
    }
    if (this.accept(TARGET.name)) {
      this.string()
      this.expectByte(COMMA)
    }
    this.expect(TARGET.type)
    this.string()
    this.expectByte(CLOSE_BRACE)
  }

  targets(): void {
    this.expect(ENVELOPE.targets)
    if (this.#acceptByte(CLOSE_BRACKET)) return
    do this.target()
    while (this.#acceptByte(COMMA))
    this.expectByte(CLOSE_BRACKET)
  }
}

const isNumberByte = (byte: number): boolean =>
  (byte >= ZERO && byte <= NINE) || byte === POINT || byte === E || byte === MINUS || byte === 0x2b

const isUtf8 = (bytes: Uint8Array, start: number, end: number): boolean => {
  try {
    utf8.decode(bytes.subarray(start, end))
    return true
  } catch {
    return false
  }
}

/** The string whose quotes stand at both ends of these bytes, already found to be well-formed. */
const stringAt = (bytes: Uint8Array, start: number, end: number): string =>
  String(JSON.parse(utf8.decode(bytes.subarray(start, end))))

/** Whether the bytes from `start` to `end` are the canonical JSON of an `EventContent`. */
export const isCanonicalContent = (bytes: Uint8Array, start = 0, end = bytes.length): boolean => {
  const walk = new Walk(bytes, start, end)
  walk.expect(ENVELOPE.action)
  walk.string()
  walk.expect(ENVELOPE.actionCategory)
  walk.stringOrNull()
  walk.expect(ENVELOPE.actor)
  walk.string()
  walk.expect(ENVELOPE.name)
  walk.stringOrNull()
  walk.expect(ENVELOPE.type)
  walk.stringOrNull()
  walk.expect(ENVELOPE.idempotencyKey)
  walk.stringOrNull()
  walk.expect(ENVELOPE.ipCity)
  walk.stringOrNull()
  walk.expect(ENVELOPE.ipCountry)
  walk.stringOrNull()
  walk.expect(ENVELOPE.metadata)
  walk.objectOrNull()
  walk.expect(ENVELOPE.occurredAt)
  walk.string()
  walk.expect(ENVELOPE.resource)
  walk.stringOrNull()
  walk.expect(ENVELOPE.name)
  walk.stringOrNull()
  walk.expect(ENVELOPE.type)
  walk.stringOrNull()
  walk.expect(ENVELOPE.sessionId)
  walk.stringOrNull()
  walk.targets()
  walk.expect(ENVELOPE.tenantId)
  walk.stringOrNull()
  walk.expect(ENVELOPE.version)
  walk.numberOrNull()
  walk.expect(ENVELOPE.end)
  return walk.ended
}
