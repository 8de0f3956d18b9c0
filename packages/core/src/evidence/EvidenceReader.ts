/**
 * Reading an evidence bundle: bytes in, one line after the other out, with constant memory whatever the file
 * holds.
 *
 * The reader checks the form only: each line is the canonical JSON of what its type requires, within its
 * limits, and in its place. Whether the contents are true is for a verifier to check. It reads the
 * uncompressed lines; the caller decompresses a gzip stream.
 */
import { Result, Schema } from "effect"
import { canonicalize } from "../encoding/CanonicalJson.ts"
import * as Micros from "../encoding/Micros.ts"
import * as StrictJson from "../encoding/StrictJson.ts"
import { isCanonicalContent } from "../event/CanonicalContent.ts"
import {
  EvidenceAnchor,
  EvidenceCheckpoint,
  EvidenceEnd,
  type EvidenceEvent,
  EvidenceHeader,
  type EvidenceLegacy,
  type EvidenceLine,
  EvidencePrefix,
  EvidenceRemoval,
  MAX_EVIDENCE_LINE
} from "./Evidence.ts"
import { type EventTail, readEventTail } from "./EvidenceTail.ts"

/** A line is not one that a bundle can have at that place. */
export class MalformedEvidence extends Schema.TaggedError<MalformedEvidence>()("MalformedEvidence", {
  /** From 1. */
  line: Schema.Number,
  reason: Schema.Literals([
    "too_long",
    "not_utf8",
    "not_json",
    "not_canonical",
    "unknown_type",
    "fields",
    "misplaced"
  ]),
  /** What is wrong, for a person. */
  detail: Schema.String
}) {}

/** The file ends too early: within a line, or without the closing line. */
export class EvidenceCutOff extends Schema.TaggedError<EvidenceCutOff>()("EvidenceCutOff", {
  /** Complete lines before the end. */
  lines: Schema.Number,
  /** Whether the last line is complete. */
  reason: Schema.Literals(["within_line", "no_end_line"])
}) {}

const NEWLINE = 0x0a

const CONTENT = new TextEncoder().encode('{"content":')
const NULL = new TextEncoder().encode("null")

/** Longest text after a content: five fields of fixed length and a number. */
const LONGEST_TAIL = 480

const HASH = '"([0-9a-f]{64})"'
const SALT = '"([0-9a-f]{32})"'
const MOMENT = '"(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z)"'
const UUID = '"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"'

/** What follows the content of an event from before the chain, up to the end of its line. */
const LEGACY_TAIL = new RegExp(
  `^,"content_hash":(?:${HASH}|null),"created_at":${MOMENT},"id":${UUID},` +
    `"salt":(?:${SALT}|null),"sequence":(-[1-9]\\d{0,15}|0),"type":"legacy"}$`
)

/** Which types of lines may come where: the stages of a bundle follow one another. */
const STAGES: Readonly<Record<EvidenceLine["type"], number>> = {
  header: 1,
  prefix: 2,
  legacy: 3,
  event: 4,
  anchor: 4,
  checkpoint: 5,
  removal: 6,
  end: 7
}

/** Lines that come at most once. */
const ONCE: ReadonlySet<EvidenceLine["type"]> = new Set(["header", "prefix", "checkpoint", "end"])

/** A member that the format does not define would be checked by nobody, so it is an error. */
const STRICT = { onExcessProperty: "error" } as const

/** The lines that are read as values, by type. */
const DECODERS = new Map<
  string,
  (value: unknown) => Result.Result<EvidenceLine, { readonly message: string }>
>([
  ["header", Schema.decodeUnknownResult(EvidenceHeader, STRICT)],
  ["prefix", Schema.decodeUnknownResult(EvidencePrefix, STRICT)],
  ["anchor", Schema.decodeUnknownResult(EvidenceAnchor, STRICT)],
  ["checkpoint", Schema.decodeUnknownResult(EvidenceCheckpoint, STRICT)],
  ["removal", Schema.decodeUnknownResult(EvidenceRemoval, STRICT)],
  ["end", Schema.decodeUnknownResult(EvidenceEnd, STRICT)]
])

/** Most characters of a schema's message that are passed on: it may quote the line. */
const LONGEST_DETAIL = 500

/** Depth of the deepest line: a removal's content with its metadata. */
const MAX_DEPTH = 80

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const looseUtf8 = new TextDecoder("utf-8", { ignoreBOM: true })

const startsWith = (bytes: Uint8Array, start: number, end: number, expected: Uint8Array): boolean => {
  if (end - start < expected.length) return false
  for (let index = 0; index < expected.length; index++) {
    if (bytes[start + index] !== expected[index]) return false
  }
  return true
}

/** The bytes of a complete line, without its newline. */
interface LineBytes {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

/** Reads times in ascending order; many of them share a second. */
class MomentReader {
  #second = ""
  #micros = 0

  /** `undefined` for a date that does not exist. */
  read(text: string): Micros.Micros | undefined {
    const second = text.slice(0, 19)
    if (second !== this.#second) {
      const micros = Micros.parse(`${second}Z`)
      if (micros === undefined) return undefined
      this.#second = second
      this.#micros = micros
    }
    return this.#micros + Number(text.slice(20, 26))
  }
}

/** Reads a bundle from bytes that the caller passes in. */
export class EvidenceReader {
  /** The beginning of a line whose end has not arrived yet. */
  #pending = new Uint8Array(0)
  #pendingBytes = 0
  #lines = 0
  #last: EvidenceLine["type"] | undefined
  readonly #moments = new MomentReader()
  readonly #visit: (line: EvidenceLine, number: number) => void

  /**
   * `visit` is called for each line in order, with its number from 1. It must copy any part of a content that
   * it keeps after it returns.
   */
  constructor(visit: (line: EvidenceLine, number: number) => void) {
    this.#visit = visit
  }

  /** Lines read so far. */
  get lines(): number {
    return this.#lines
  }

  /** Passes in more bytes, split anywhere. After a failure no more may be passed. Holds at most one line. */
  feed(chunk: Uint8Array): Result.Result<void, MalformedEvidence> {
    let start = 0
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, start)
      const end = newline < 0 ? chunk.length : newline
      if (this.#pendingBytes + end - start > MAX_EVIDENCE_LINE) {
        return this.#refuse("too_long", `more than ${MAX_EVIDENCE_LINE} bytes`)
      }
      if (newline < 0) break
      const read = this.#readLine(this.#complete(chunk, start, end))
      if (Result.isFailure(read)) return read
      start = newline + 1
    }
    this.#keep(chunk, start, chunk.length)
    return Result.void
  }

  /** Must be called when there are no more bytes. */
  finish(): Result.Result<void, EvidenceCutOff> {
    if (this.#pendingBytes === 0 && this.#last === "end") return Result.void
    const reason = this.#pendingBytes > 0 ? "within_line" : "no_end_line"
    return Result.fail(new EvidenceCutOff({ lines: this.#lines, reason }))
  }

  /** Appends bytes to the pending ones. */
  #keep(chunk: Uint8Array, start: number, end: number): void {
    const length = this.#pendingBytes + end - start
    if (length > this.#pending.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#pending.length))
      larger.set(this.#pending.subarray(0, this.#pendingBytes))
      this.#pending = larger
    }
    this.#pending.set(chunk.subarray(start, end), this.#pendingBytes)
    this.#pendingBytes = length
  }

  /** The line that ends at `end`, including its bytes from earlier calls. */
  #complete(chunk: Uint8Array, start: number, end: number): LineBytes {
    if (this.#pendingBytes === 0) return { bytes: chunk, start, end }
    this.#keep(chunk, start, end)
    const line = { bytes: this.#pending, start: 0, end: this.#pendingBytes }
    // The next line gets another buffer: this line is read as long as the chunk is in use.
    this.#pending = new Uint8Array(0)
    this.#pendingBytes = 0
    return line
  }

  #readLine(line: LineBytes): Result.Result<void, MalformedEvidence> {
    const parsed = startsWith(line.bytes, line.start, line.end, CONTENT)
      ? this.#contentLine(line)
      : this.#otherLine(line)
    if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
    const { type } = parsed.success
    const before = this.#last === undefined ? 0 : STAGES[this.#last]
    const misplaced = STAGES[type] < before || (type === this.#last && ONCE.has(type))
    if (
      misplaced ||
      (before === 0 && type !== "header") ||
      (type === "removal" && before < STAGES.checkpoint)
    ) {
      return this.#refuse("misplaced", `${type} after ${this.#last ?? "nothing"}`)
    }
    this.#lines++
    this.#last = type
    this.#visit(parsed.success, this.#lines)
    return Result.void
  }

  #refuse(reason: MalformedEvidence["reason"], detail: string): Result.Result<never, MalformedEvidence> {
    return Result.fail(new MalformedEvidence({ line: this.#lines + 1, reason, detail }))
  }

  /**
   * An event, chained or legacy. What follows the content has a fixed form, so it is found from the end of
   * the line.
   */
  #contentLine(line: LineBytes): Result.Result<EvidenceEvent | EvidenceLegacy, MalformedEvidence> {
    const { bytes, start, end } = line
    const contentStart = start + CONTENT.length
    const tail = readEventTail(bytes, contentStart, end)
    const fields = tail === undefined ? this.#legacyFields(line) : undefined
    if (tail === undefined && fields === undefined)
      return this.#refuse("fields", "no event in canonical form")
    const contentEnd = tail?.start ?? end - (fields?.[0].length ?? 0)
    const removed =
      contentEnd - contentStart === NULL.length && startsWith(bytes, contentStart, contentEnd, NULL)
    const content = removed ? null : bytes.subarray(contentStart, contentEnd)
    const read =
      tail !== undefined
        ? this.#event(tail, content)
        : fields === undefined
          ? undefined
          : this.#legacy(fields, content)
    return read === undefined
      ? this.#refuse("fields", "a date or a number that cannot be, or a salt amiss")
      : Result.succeed(read)
  }

  #event(tail: EventTail, content: Uint8Array | null): EvidenceEvent | undefined {
    const { contentHash, eventHash, id, previousEventHash, salt, header } = tail
    const createdAt = this.#moments.read(tail.createdAt)
    const sequence = Number(tail.sequence)
    if (createdAt === undefined || !Number.isSafeInteger(sequence)) return undefined
    if ((content === null) !== (salt === null)) return undefined
    return {
      type: "event",
      sequence,
      id,
      createdAt,
      content,
      canonical: content === null || isCanonicalContent(content),
      salt,
      contentHash,
      eventHash,
      previousEventHash,
      header
    }
  }

  #legacyFields({ bytes, start, end }: LineBytes): RegExpExecArray | undefined {
    const last = looseUtf8.decode(bytes.subarray(Math.max(start, end - LONGEST_TAIL), end))
    // The tail is ASCII, so its characters are its bytes.
    return LEGACY_TAIL.exec(last.slice(Math.max(0, last.lastIndexOf(',"content_hash":')))) ?? undefined
  }

  #legacy(fields: RegExpExecArray, content: Uint8Array | null): EvidenceLegacy | undefined {
    const [, contentHash = null, moment = "", id = "", salt = null, digits] = fields
    const createdAt = this.#moments.read(moment)
    const sequence = Number(digits)
    if (createdAt === undefined || !Number.isSafeInteger(sequence)) return undefined
    if ((content === null) !== (salt === null) || (content === null && contentHash === null)) return undefined
    const canonical = content === null || isCanonicalContent(content)
    const createdAtText = moment
    return { type: "legacy", sequence, id, createdAt, createdAtText, content, canonical, salt, contentHash }
  }

  /**
   * Any line except an event's. There are few of these, so they are parsed and written again to check that
   * they are canonical.
   */
  #otherLine({ bytes, start, end }: LineBytes): Result.Result<EvidenceLine, MalformedEvidence> {
    let text: string
    try {
      text = strictUtf8.decode(bytes.subarray(start, end))
    } catch {
      return this.#refuse("not_utf8", "")
    }
    const parsed = StrictJson.parse(text)
    if (Result.isFailure(parsed)) return this.#refuse("not_json", parsed.failure.detail)
    const value = parsed.success
    const canonical = canonicalize(value, MAX_DEPTH)
    if (Result.isFailure(canonical) || canonical.success !== text) return this.#refuse("not_canonical", "")
    const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined
    const decode = typeof type === "string" ? DECODERS.get(type) : undefined
    // Only text is shown: an object may have no text form, and a list may have an endless one.
    if (decode === undefined)
      return this.#refuse(
        "unknown_type",
        typeof type === "string" ? type.slice(0, LONGEST_DETAIL) : type === undefined ? "none" : typeof type
      )
    const decoded = decode(value)
    return Result.isFailure(decoded)
      ? this.#refuse("fields", decoded.failure.message.slice(0, LONGEST_DETAIL))
      : Result.succeed(decoded.success)
  }
}
