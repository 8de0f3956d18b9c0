/**
 * Whether bytes are the canonical JSON (RFC 8785) of an event's content, found by walking over them once,
 * without parsing them.
 *
 * A verifier that reads a content from a file hashes its bytes unchanged. If a content could be spelt in
 * other ways, with a repeated key or a number that rounds, two readers could see two contents under one hash;
 * so every other spelling is invalid. Costs a quarter of parsing the text and writing it again, and no
 * allocation: a verifier checks every event like this.
 */
import { ENVELOPE_END, ENVELOPE_PARTS, type EnvelopePart, TARGET } from "./Envelope.ts"

const [QUOTE, BACKSLASH, COMMA, COLON, MINUS, POINT] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2e]
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]
const [ZERO, NINE] = [0x30, 0x39]
const [E, F, N, T, U] = [0x65, 0x66, 0x6e, 0x74, 0x75]
/** The lowest byte that a string may hold unescaped. */
const SPACE = 0x20
/** The first byte of a non-ASCII character is this or higher. */
const BEYOND_ASCII = 0x80

/** 1 for each byte that is a whole character and that a string may hold unescaped. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= SPACE && byte < BEYOND_ASCII && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0
)

/** What may follow a backslash, except `u`: the short escapes of RFC 8785 section 3.2.2.2. */
const SHORT_ESCAPES = new Set(Array.from('"\\bfnrt', (character) => character.charCodeAt(0)))

/**
 * Control characters without a short escape, written `\u00xx` in lower case. A lone surrogate has no
 * canonical form.
 */
const LONG_ESCAPE = /^u00(?:0[0-7bef]|1[0-9a-f])$/

/** A double holds every integer of this many digits exactly. */
const SAFE_DIGITS = 15

/** Characters of the longest number that ECMAScript writes: `-1.2345678901234567e-100`. */
const LONGEST_NUMBER = 24

/** The most nested objects and arrays, so that no text can exhaust the stack. Ingestion accepts 32. */
const MAX_DEPTH = 64

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const ascii = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))

const LITERALS = { null: ascii("null"), true: ascii("true"), false: ascii("false") }

/*
 * Each of the following functions reads what it is named for from the index `at` on, and returns the index
 * after it, or `NONE` if something else is there. Indexes are passed and returned because a verifier that
 * kept them in an object would take twice as long.
 */

const NONE = -1

/** The byte at an index; 0, which JSON never contains, at the end and after a failure. */
const byteAt = (bytes: Uint8Array, at: number, end: number): number =>
  at >= 0 && at < end ? (bytes[at] as number) : 0

const takeByte = (bytes: Uint8Array, at: number, end: number, byte: number): number =>
  byteAt(bytes, at, end) === byte ? at + 1 : NONE

const takeText = (bytes: Uint8Array, at: number, end: number, expected: Uint8Array): number => {
  const { length } = expected
  if (at < 0 || at + length > end) return NONE
  for (let index = 0; index < length; index++) {
    if (bytes[at + index] !== expected[index]) return NONE
  }
  return at + length
}

/** The index after the plain characters from `at` on: ASCII that is not escaped. */
const skipPlain = (bytes: Uint8Array, at: number, end: number): number => {
  let next = at
  while (next < end && PLAIN[bytes[next] as number] === 1) next++
  return next
}

const takeString = (bytes: Uint8Array, at: number, end: number): number => {
  if (byteAt(bytes, at, end) !== QUOTE) return NONE
  const next = skipPlain(bytes, at + 1, end)
  return byteAt(bytes, next, end) === QUOTE ? next + 1 : takeSpecialString(bytes, at, next, end)
}

/** Reads any other string; its bytes before `next` are plain. */
const takeSpecialString = (bytes: Uint8Array, at: number, next: number, end: number): number => {
  let beyond = 0
  for (;;) {
    const byte = byteAt(bytes, next, end)
    if (byte === QUOTE) break
    if (byte === BACKSLASH) {
      next = takeEscape(bytes, next + 1, end)
      if (next === NONE) return NONE
    } else if (byte < SPACE) return NONE
    else {
      beyond |= byte
      next++
    }
  }
  return beyond >= BEYOND_ASCII && !isUtf8(bytes, at, next) ? NONE : next + 1
}

/** Reads an escape whose letter is at `at`. */
const takeEscape = (bytes: Uint8Array, at: number, end: number): number => {
  const byte = byteAt(bytes, at, end)
  if (SHORT_ESCAPES.has(byte)) return at + 1
  if (byte !== U || at + 5 > end) return NONE
  return LONG_ESCAPE.test(String.fromCharCode(...bytes.subarray(at, at + 5))) ? at + 5 : NONE
}

const takeNull = (bytes: Uint8Array, at: number, end: number): number =>
  takeText(bytes, at, end, LITERALS.null)

/** Reads digits, as many as there are. */
const takeDigits = (bytes: Uint8Array, at: number, end: number): number => {
  let next = at
  for (let byte = byteAt(bytes, next, end); byte >= ZERO && byte <= NINE; byte = byteAt(bytes, next, end))
    next++
  return next
}

const takeNumber = (bytes: Uint8Array, at: number, end: number): number => {
  const negative = byteAt(bytes, at, end) === MINUS
  const first = negative ? at + 1 : at
  const next = takeDigits(bytes, first, end)
  const whole = next - first
  const zero = whole === 1 && bytes[first] === ZERO
  // A number cannot begin with a zero and another digit; any other beginning is valid.
  if (whole > 0 && (zero || bytes[first] !== ZERO)) {
    const byte = byteAt(bytes, next, end)
    if (byte === POINT) {
      const behind = takeFraction(bytes, next + 1, end, whole, zero)
      if (behind !== NONE) return behind
    } else if (whole <= SAFE_DIGITS && byte !== E && !(zero && negative)) return next
  }
  return takeOtherNumber(bytes, at, end)
}

/**
 * Reads a fraction if the number is certainly spelt as ECMAScript does. No two decimals of up to fifteen
 * digits are the same double, so a decimal that does not end in 0 has no shorter spelling. Below a millionth
 * ECMAScript writes an exponent.
 */
const takeFraction = (bytes: Uint8Array, at: number, end: number, whole: number, zero: boolean): number => {
  const next = takeDigits(bytes, at, end)
  const digits = next - at
  if (digits === 0 || whole + digits > SAFE_DIGITS || byteAt(bytes, next, end) === E) return NONE
  if (bytes[next - 1] === ZERO) return NONE
  let zeros = 0
  while (zero && bytes[at + zeros] === ZERO) zeros++
  return zeros < 6 ? next : NONE
}

/** Reads any other number. Its canonical spelling is that of ECMAScript; minus zero is spelt "0". */
const takeOtherNumber = (bytes: Uint8Array, at: number, end: number): number => {
  let literal = ""
  for (let next = at; isNumberByte(byteAt(bytes, next, end)) && literal.length <= LONGEST_NUMBER; next++) {
    literal += String.fromCharCode(byteAt(bytes, next, end))
  }
  const value = Number(literal)
  const spelt = literal !== "" && Number.isFinite(value) && String(value) === literal
  return spelt ? at + literal.length : NONE
}

const takeValue = (bytes: Uint8Array, at: number, end: number, depth: number): number => {
  switch (byteAt(bytes, at, end)) {
    case QUOTE:
      return takeString(bytes, at, end)
    case OPEN_BRACE:
      return takeObject(bytes, at, end, depth)
    case OPEN_BRACKET:
      return takeArray(bytes, at, end, depth)
    case N:
      return takeNull(bytes, at, end)
    case T:
      return takeText(bytes, at, end, LITERALS.true)
    case F:
      return takeText(bytes, at, end, LITERALS.false)
    default:
      return takeNumber(bytes, at, end)
  }
}

const takeArray = (bytes: Uint8Array, at: number, end: number, depth: number): number => {
  if (depth === 0) return NONE
  let next = takeByte(bytes, at, end, OPEN_BRACKET)
  if (byteAt(bytes, next, end) === CLOSE_BRACKET) return next + 1
  for (;;) {
    next = takeValue(bytes, next, end, depth - 1)
    if (byteAt(bytes, next, end) !== COMMA) return takeByte(bytes, next, end, CLOSE_BRACKET)
    next++
  }
}

/**
 * Keys are in strictly ascending order by UTF-16 code units (RFC 8785 section 3.2.3), so none is repeated.
 */
const takeObject = (bytes: Uint8Array, at: number, end: number, depth: number): number => {
  if (depth === 0) return NONE
  let next = takeByte(bytes, at, end, OPEN_BRACE)
  if (byteAt(bytes, next, end) === CLOSE_BRACE) return next + 1
  let before = NONE
  let beforeEnd = NONE
  let beforeSpecial = false
  for (;;) {
    const key = next
    if (byteAt(bytes, key, end) !== QUOTE) return NONE
    const plainEnd = skipPlain(bytes, key + 1, end)
    const keySpecial = byteAt(bytes, plainEnd, end) !== QUOTE
    const keyEnd = keySpecial ? takeSpecialString(bytes, key, plainEnd, end) : plainEnd + 1
    if (keyEnd === NONE) return NONE
    if (before !== NONE && !ascends(bytes, before, beforeEnd, key, keyEnd, keySpecial || beforeSpecial))
      return NONE
    before = key
    beforeEnd = keyEnd
    beforeSpecial = keySpecial
    next = takeValue(bytes, takeByte(bytes, keyEnd, end, COLON), end, depth - 1)
    if (byteAt(bytes, next, end) !== COMMA) return takeByte(bytes, next, end, CLOSE_BRACE)
    next++
  }
}

/** Whether the key between these quotes sorts before the other. */
const ascends = (
  bytes: Uint8Array,
  one: number,
  oneEnd: number,
  other: number,
  otherEnd: number,
  isSpecial: boolean
): boolean => {
  if (isSpecial) return stringAt(bytes, one, oneEnd) < stringAt(bytes, other, otherEnd)
  const length = Math.min(oneEnd - one, otherEnd - other) - 2
  for (let index = 1; index <= length; index++) {
    const difference = (bytes[one + index] as number) - (bytes[other + index] as number)
    if (difference !== 0) return difference < 0
  }
  return oneEnd - one < otherEnd - other
}

const [TEXT, INTEGER, OBJECT, LIST] = [0, 1, 2, 3]
const KINDS = { text: TEXT, time: TEXT, integer: INTEGER, object: OBJECT, list: LIST }

/** Members and the text before each of them, as lists of bytes, which are read as fast as constants. */
const spelt = (before: ReadonlyArray<string>, members: ReadonlyArray<EnvelopePart["member"]>) => ({
  text: ascii(before.join("")),
  /** Where each prefix begins in the text, and where the last one ends. */
  begins: Uint16Array.from(
    { length: before.length + 1 },
    (_, index) => before.slice(0, index).join("").length
  ),
  kinds: Uint8Array.from(members, ({ kind }) => KINDS[kind]),
  nullable: Uint8Array.from(members, (member) =>
    member.kind !== "list" && member.presence === "nullable" ? 1 : 0
  ),
  optional: Uint8Array.from(members, (member) =>
    member.kind !== "list" && member.presence === "optional" ? 1 : 0
  )
})

/** Reads the text before a member. */
const takePart = (
  bytes: Uint8Array,
  at: number,
  end: number,
  text: Uint8Array,
  begins: Uint16Array,
  member: number
): number => {
  const begin = begins[member] as number
  const length = (begins[member + 1] as number) - begin
  if (at < 0 || at + length > end) return NONE
  for (let index = 0; index < length; index++) {
    if (bytes[at + index] !== text[begin + index]) return NONE
  }
  return at + length
}

/** Reads a value of a kind. */
const takeKind = (bytes: Uint8Array, at: number, end: number, kind: number): number => {
  switch (kind) {
    case TEXT:
      return takeString(bytes, at, end)
    case INTEGER:
      return takeNumber(bytes, at, end)
    case OBJECT:
      return takeObject(bytes, at, end, MAX_DEPTH)
    default:
      return takeTargets(bytes, at, end)
  }
}

/** The members of a target. A member that is left out is absent. */
const TARGET_MEMBERS = spelt(
  TARGET.members.map(({ name }) => `"${name}":`),
  TARGET.members
)

const takeTarget = (bytes: Uint8Array, at: number, end: number): number => {
  const { text, begins, kinds, optional } = TARGET_MEMBERS
  let next = takeByte(bytes, at, end, OPEN_BRACE)
  for (let member = 0; member < kinds.length; member++) {
    const kind = kinds[member] as number
    const value = takePart(bytes, next, end, text, begins, member)
    if (optional[member] === 0) next = takeKind(bytes, value, end, kind)
    else if (value !== NONE) next = takeByte(bytes, takeKind(bytes, value, end, kind), end, COMMA)
  }
  return takeByte(bytes, next, end, CLOSE_BRACE)
}

const takeTargets = (bytes: Uint8Array, at: number, end: number): number => {
  let next = takeByte(bytes, at, end, OPEN_BRACKET)
  if (byteAt(bytes, next, end) === CLOSE_BRACKET) return next + 1
  for (;;) {
    next = takeTarget(bytes, next, end)
    if (byteAt(bytes, next, end) !== COMMA) return takeByte(bytes, next, end, CLOSE_BRACKET)
    next++
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

/** The string that these bytes spell, quotes included; already found to be well-formed. */
const stringAt = (bytes: Uint8Array, start: number, end: number): string =>
  String(JSON.parse(utf8.decode(bytes.subarray(start, end))))

const CONTENT_MEMBERS = spelt(
  ENVELOPE_PARTS.map(({ before }) => before),
  ENVELOPE_PARTS.map(({ member }) => member)
)
const END = ascii(ENVELOPE_END)

/** Whether the bytes from `start` to `end` are the canonical JSON of an `EventContent`. */
export const isCanonicalContent = (bytes: Uint8Array, start = 0, end = bytes.length): boolean => {
  const { text, begins, kinds, nullable } = CONTENT_MEMBERS
  let at = start
  for (let member = 0; member < kinds.length; member++) {
    at = takePart(bytes, at, end, text, begins, member)
    at =
      nullable[member] === 1 && byteAt(bytes, at, end) === N
        ? takeNull(bytes, at, end)
        : takeKind(bytes, at, end, kinds[member] as number)
  }
  return takeText(bytes, at, end, END) === end
}
