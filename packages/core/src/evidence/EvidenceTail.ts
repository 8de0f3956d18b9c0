/**
 * What follows the content in an event's line of a bundle: fields of fixed form, read from the end of the
 * line.
 *
 * ```
 * ,"content_hash":"…","created_at":"…","event_hash":"…","id":"…","previous_event_hash":"…",
 *  "salt":"…","sequence":1,"type":"event"}
 * ```
 *
 * All of it is ASCII in its only spelling; anything else is an error. So the members of the header are in the
 * line exactly as they were hashed and need not be written again: {@link EventTail.header}. Costs less than a
 * regular expression; a verifier reads every event like this.
 */

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))

const CONTENT_HASH = ascii(',"content_hash":"')
const CREATED_AT = ascii('","created_at":"')
const EVENT_HASH = ascii('","event_hash":"')
const ID = ascii('","id":"')
const PREVIOUS = ascii('","previous_event_hash":')
const SALT = ascii(',"salt":')
const SEQUENCE = ascii(',"sequence":')
const TYPE = ascii(',"type":"event"}')
const NULL = ascii("null")

const HASH_LENGTH = 64
const SALT_LENGTH = 32
/** Digits of the largest sequence, 2^53 − 1. */
const MOST_DIGITS = 16

const QUOTE = 0x22
const ZERO = 0x30
const NINE = 0x39

/**
 * What each character of a text of fixed length may be: a digit, a hexadecimal digit, or the character
 * itself.
 */
const form = (pattern: string): Uint8Array =>
  Uint8Array.from(pattern, (character) =>
    character === "9" ? DIGIT : character === "f" ? HEXADECIMAL : character.charCodeAt(0)
  )
const DIGIT = 1
const HEXADECIMAL = 2
const MOMENT = form("9999-99-99T99:99:99.999999Z")
const UUID = form("ffffffff-ffff-ffff-ffff-ffffffffffff")

/** The classes that each byte belongs to, as bits; any other byte only matches itself. */
const CLASSES = new Uint8Array(256)
for (const digit of "0123456789abcdef") {
  CLASSES[digit.charCodeAt(0)] = digit <= "9" ? DIGIT | HEXADECIMAL : HEXADECIMAL
}

const stands = (bytes: Uint8Array, at: number, expected: Uint8Array): boolean => {
  for (let index = 0; index < expected.length; index++) {
    if (bytes[at + index] !== expected[index]) return false
  }
  return true
}

const hasForm = (bytes: Uint8Array, at: number, expected: Uint8Array): boolean => {
  for (let index = 0; index < expected.length; index++) {
    const wanted = expected[index] as number
    const byte = bytes[at + index] as number
    if (wanted > HEXADECIMAL ? byte !== wanted : ((CLASSES[byte] as number) & wanted) === 0) return false
  }
  return true
}

const isHexadecimal = (bytes: Uint8Array, at: number, length: number): boolean => {
  let all = HEXADECIMAL
  for (let index = 0; index < length; index++) all &= CLASSES[bytes[at + index] as number] as number
  return all !== 0
}

/**
 * The index where a quoted hexadecimal text of this length, or null, begins that ends before `end`; -1 if
 * there is none.
 */
const startOfHexadecimal = (bytes: Uint8Array, end: number, length: number): number => {
  if (bytes[end - 1] !== QUOTE) return stands(bytes, end - NULL.length, NULL) ? end - NULL.length : -1
  const start = end - length - 2
  return bytes[start] === QUOTE && isHexadecimal(bytes, start + 1, length) ? start : -1
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** The fields and their positions. */
export interface EventTail {
  /** Where the content ends in the bytes. */
  readonly start: number
  readonly contentHash: string
  readonly createdAt: string
  readonly eventHash: string
  readonly id: string
  readonly previousEventHash: string | null
  readonly salt: string | null
  /** Digits without a leading zero. */
  readonly sequence: string
  /** See {@link HeaderMembers}. */
  readonly header: HeaderMembers
}

/**
 * The members of an event's header (docs/HashFormat.md) except the last two, taken from three places of a
 * line, each with the comma after it: `content_hash` and `created_at`, `id` and `previous_event_hash`, and
 * `sequence`. To be read before more bytes are passed to the reader.
 */
export type HeaderMembers = readonly [Uint8Array, Uint8Array, Uint8Array]

/**
 * Reads the tail of the line that ends at `end`; `undefined` if it is not the tail of a chained event in
 * canonical form.
 */
export const readEventTail = (bytes: Uint8Array, begin: number, end: number): EventTail | undefined => {
  const type = end - TYPE.length
  // Reading before the beginning of the line returns bytes of another line or none, so the length is checked
  // first and last.
  if (type <= begin || !stands(bytes, type, TYPE)) return undefined
  let digits = type
  while (digits > begin && isDigit(bytes[digits - 1])) digits--
  const sequence = digits - SEQUENCE.length
  if (digits === type || type - digits > MOST_DIGITS || bytes[digits] === ZERO) return undefined
  if (sequence <= begin || !stands(bytes, sequence, SEQUENCE)) return undefined
  const salt = startOfHexadecimal(bytes, sequence, SALT_LENGTH)
  if (salt <= begin || !stands(bytes, salt - SALT.length, SALT)) return undefined
  const previousEnd = salt - SALT.length
  const previous = startOfHexadecimal(bytes, previousEnd, HASH_LENGTH)
  const id = previous - PREVIOUS.length - UUID.length
  const eventHash = id - ID.length - HASH_LENGTH
  const createdAt = eventHash - EVENT_HASH.length - MOMENT.length
  const contentHash = createdAt - CREATED_AT.length - HASH_LENGTH
  const start = contentHash - CONTENT_HASH.length
  const whole =
    start >= begin &&
    stands(bytes, previous - PREVIOUS.length, PREVIOUS) &&
    hasForm(bytes, id, UUID) &&
    stands(bytes, id - ID.length, ID) &&
    isHexadecimal(bytes, eventHash, HASH_LENGTH) &&
    stands(bytes, eventHash - EVENT_HASH.length, EVENT_HASH) &&
    hasForm(bytes, createdAt, MOMENT) &&
    stands(bytes, createdAt - CREATED_AT.length, CREATED_AT) &&
    isHexadecimal(bytes, contentHash, HASH_LENGTH) &&
    stands(bytes, start, CONTENT_HASH)
  if (!whole) return undefined
  const text = utf8.decode(bytes.subarray(start, end))
  const slice = (from: number, length: number): string => text.slice(from - start, from - start + length)
  return {
    start,
    contentHash: slice(contentHash, HASH_LENGTH),
    createdAt: slice(createdAt, MOMENT.length),
    eventHash: slice(eventHash, HASH_LENGTH),
    id: slice(id, UUID.length),
    previousEventHash: bytes[previous] === QUOTE ? slice(previous + 1, HASH_LENGTH) : null,
    salt: bytes[salt] === QUOTE ? slice(salt + 1, SALT_LENGTH) : null,
    sequence: slice(digits, type - digits),
    header: [
      // Each part begins with its name's quote and ends with the comma after its value.
      bytes.subarray(start + 1, createdAt + MOMENT.length + 2),
      bytes.subarray(eventHash + HASH_LENGTH + 2, previousEnd + 1),
      bytes.subarray(sequence + 1, type + 1)
    ]
  }
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE
