/**
 * Which statements of a bundle are not true of the log: the judge over verdicts. It reads the file with
 * `JSON.parse` only and compares each statement with the log itself, so it knows nothing of cells or kinds of
 * change.
 *
 * A statement counts if something proves it: the key for the whole range, an older bundle and anchors on the
 * chain for the events up to their ends. What the format says is not proven is not checked: the header's
 * `created_at` and `keys`, and of an anchor its `id`, `status`, `created_at`, `explorer_url` and
 * `period_start`.
 */
import { gunzipSync } from "node:zlib"
import { Micros } from "@cairn/core/encoding"
import { parseContent } from "@cairn/core/event"
import { type Sha256Shape, toHex } from "@cairn/core/hashing"
import { removalOf } from "@cairn/core/log"
import { merkleRoot } from "@cairn/core/merkle"
import { readLines } from "./BundleLines.ts"
import { firstOf, valuesOf } from "./EventMending.ts"
import type { Truth } from "./InsiderShapes.ts"
import { isObject, type Json, type JsonObject, textIn, wholeIn, writeJson } from "./JsonValues.ts"
import { noteText } from "./NoteParts.ts"

/**
 * How far each thing that the auditor brought reaches, as sequences of events; 0 for what was not brought.
 */
export interface Reach {
  /** Infinity if the checkpoint's key was brought and nobody else has it. */
  readonly key: number
  /** The end of the older bundle. */
  readonly older: number
  /** The end of the newest anchor whose transaction is in a block of the chain. */
  readonly anchors: number
}

/** A statement that is false or missing, and the event that it concerns. */
export interface Falsehood {
  readonly sequence: number
  readonly what: string
}

/** The lines of a file; `undefined` if the writer cannot have made it. */
const readFile = (bytes: Uint8Array): ReturnType<typeof readLines> | undefined => {
  try {
    const text = gunzipSync(bytes).toString()
    if (!text.endsWith("\n")) return undefined
    const lines = text.slice(0, -1).split("\n")
    const canonical = lines.every((line) => writeJson(JSON.parse(line) as Json) === line)
    return canonical ? readLines(lines) : undefined
  } catch {
    return undefined
  }
}

const EVENT_MEMBERS = ["id", "created_at", "content_hash", "event_hash", "previous_event_hash"] as const

class Judge {
  readonly found: Array<Falsehood> = []
  readonly #sha256: Sha256Shape
  readonly #truth: Truth
  readonly #reach: Reach
  readonly #lines: ReturnType<typeof readLines>
  /** The last event up to which anything proves statements. */
  readonly #bound: number
  readonly #from: number
  readonly #to: number

  constructor(sha256: Sha256Shape, lines: ReturnType<typeof readLines>, truth: Truth, reach: Reach) {
    this.#sha256 = sha256
    this.#lines = lines
    this.#truth = truth
    this.#reach = reach
    this.#bound = Math.max(reach.key, reach.older, reach.anchors)
    const header = firstOf(lines, "header")
    this.#from = wholeIn(header, "from") ?? 1
    this.#to = wholeIn(header, "to") ?? 0
  }

  #is(isSo: boolean, sequence: number, what: string): void {
    if (!isSo && sequence <= this.#bound) this.found.push({ sequence, what })
  }

  all(): ReadonlyArray<Falsehood> {
    this.#header()
    this.#events()
    this.#history()
    this.#edge()
    for (const value of valuesOf(this.#lines, "anchor")) this.#anchor(value)
    this.#anchorOrder()
    this.#removals()
    if (this.#reach.key > 0) this.#checkpoint()
    this.#end()
    return this.found
  }

  #header(): void {
    const { log } = this.#truth
    const header = firstOf(this.#lines, "header")
    this.#is(header?.workspace_id === log.workspaceId, this.#from, "workspace_id")
    this.#is(header?.origin === log.origin, this.#from, "origin")
    this.#is(header?.format === "cairn-evidence/1", this.#from, "format")
    this.#is(this.#to >= this.#from - 1, this.#from, "to")
  }

  #events(): void {
    const { events } = this.#truth
    const values = valuesOf(this.#lines, "event")
    const count = Math.max(values.length, this.#to - this.#from + 1)
    for (let index = 0; index < count; index++) {
      const sequence = this.#from + index
      const [value, truth] = [values[index], events[sequence - 1]]
      if (
        value === undefined ||
        truth === undefined ||
        wholeIn(value, "sequence") !== sequence ||
        sequence > this.#to
      ) {
        this.#is(false, Math.min(sequence, this.#to), `the place of event ${sequence}`)
        return
      }
      const said: JsonObject = {
        id: truth.id,
        created_at: Micros.format(truth.createdAt),
        content_hash: truth.contentHash,
        event_hash: truth.eventHash,
        previous_event_hash: truth.previousEventHash
      }
      for (const name of EVENT_MEMBERS)
        this.#is(value[name] === said[name], sequence, `${name} of event ${sequence}`)
      this.#content(value, truth, sequence, this.#truth.log.events[index + this.#from - 1]?.content === null)
    }
  }

  /** The content is the true one, or it was removed: by the log, or by a record that only the key proves. */
  #content(
    value: JsonObject,
    truth: { readonly content: string | null; readonly salt: string | null },
    sequence: number,
    wasRemoved: boolean
  ): void {
    const at = Math.max(sequence, 1)
    if (value.content === null || value.content === undefined) {
      const isRemoved = value.salt === null && (wasRemoved || this.#isRemovedBeyond(sequence))
      this.#is(isRemoved, at, `the removal of event ${sequence}`)
      return
    }
    this.#is(writeJson(value.content) === truth.content, at, `the content of event ${sequence}`)
    this.#is(value.salt === truth.salt, at, `the salt of event ${sequence}`)
  }

  /** Whether an event that only the key proves records that this event's content was removed. */
  #isRemovedBeyond(sequence: number): boolean {
    const ofRange = valuesOf(this.#lines, "event").map(({ content, sequence: by }) => ({ content, by }))
    const ofLines = valuesOf(this.#lines, "removal").map(({ event }) => {
      const header = isObject(event) ? event.header : undefined
      return {
        content: isObject(event) ? event.content : undefined,
        by: isObject(header) ? header.sequence : undefined
      }
    })
    return [...ofRange, ...ofLines].some(({ content, by }) => {
      if (typeof by !== "number" || by <= this.#bound || by <= sequence) return false
      const parsed = isObject(content) ? parseContent(writeJson(content)) : undefined
      const removal = parsed === undefined ? undefined : removalOf(parsed)
      if (removal === undefined) return false
      return removal.type === "retention"
        ? sequence >= removal.fromSequence &&
            sequence < removal.belowSequence &&
            !removal.kept?.includes(sequence)
        : removal.sequences.includes(sequence)
    })
  }

  /**
   * The history from before the chain is complete, and present if and only if the range begins with the
   * chain.
   */
  #history(): void {
    const values = valuesOf(this.#lines, "legacy")
    const { legacy, log } = this.#truth
    const isEmpty = this.#to < this.#from
    const [first] = valuesOf(this.#lines, "event")
    // Without the content of the first event it is unknown whether there was any.
    const isUnknown = values.length === 0 && first?.content === null && this.#isRemovedBeyond(1)
    if (!isEmpty && !isUnknown)
      this.#is(
        values.length === (this.#from === 1 ? legacy.length : 0),
        this.#from,
        "the length of the history"
      )
    for (const [index, value] of values.entries()) {
      const truth = legacy[index]
      if (truth === undefined) continue
      const { sequence } = truth
      this.#is(value.sequence === sequence, 1, `the place of event ${sequence}`)
      this.#is(value.id === truth.id, 1, `id of event ${sequence}`)
      this.#is(value.created_at === Micros.format(truth.createdAt), 1, `created_at of event ${sequence}`)
      this.#content(value, truth, sequence, log.legacy[index]?.content === null)
    }
  }

  /** The prefix of a range: present, and true as far as a root proves it. */
  #edge(): void {
    const { leaves } = this.#truth
    const from = this.#from
    const prefix = firstOf(this.#lines, "prefix")
    if (valuesOf(this.#lines, "event").length === 0) return
    this.#is(
      (from === 1) === (prefix === undefined),
      from,
      from === 1 ? "there is a prefix" : "there is no prefix"
    )
    if (from === 1 || prefix === undefined) return
    if (Math.max(this.#reach.key, this.#reach.older) >= from) {
      const hashes = frontier(this.#sha256, leaves.slice(0, from - 2))
      this.#is(writeJson(prefix.log ?? null) === JSON.stringify(hashes), from, "the frontier of the log")
    }
    const spanning = valuesOf(this.#lines, "anchor").find(
      (value) =>
        (wholeIn(value, "first_sequence") ?? from) < from && (wholeIn(value, "last_sequence") ?? 0) >= from
    )
    if (spanning === undefined) return
    this.#is(isObject(prefix.period), from, "the period at the edge is empty")
    const [first, last] = [wholeIn(spanning, "first_sequence") ?? 0, wholeIn(spanning, "last_sequence") ?? 0]
    if (last > this.#reach.anchors) return
    const hashes = frontier(this.#sha256, leaves.slice(first - 1, from - 2))
    const expected = JSON.stringify({ first_sequence: first, hashes })
    this.#is(writeJson(prefix.period ?? null) === expected, from, "the frontier of the period")
  }

  #anchor(value: JsonObject): void {
    const { leaves, log, events } = this.#truth
    const { anchor } = value
    const [first, last] = [wholeIn(value, "first_sequence") ?? 0, wholeIn(value, "last_sequence") ?? 0]
    if (!isObject(anchor)) {
      this.#is(false, last, "an anchor that is none")
      return
    }
    // An anchor that covers no event of the range proves nothing about it.
    if (last < this.#from || first > this.#to) return
    const isWithin = first >= this.#from && last <= this.#to
    const what = (name: string) => `${name} of the anchor that ends with event ${last}`
    const at = Math.min(last, this.#to)
    this.#is(anchor.events_count === last - first + 1, at, what("events_count"))
    if (last > this.#to) this.#is(writeJson(value.after ?? null) !== "[]", at, what("after"))
    if (isWithin) {
      const root = toHex(merkleRoot(this.#sha256, leaves.slice(first - 1, last)))
      this.#is(anchor.merkle_root === root, at, what("merkle_root"))
    }
    const [firstEvent, lastEvent, next] = [events[first - 1], events[last - 1], events[last]]
    if (first >= this.#from)
      this.#is(anchor.first_event_hash === firstEvent?.eventHash, at, what("first_event_hash"))
    if (last <= this.#to) {
      this.#is(anchor.last_event_hash === lastEvent?.eventHash, at, what("last_event_hash"))
      const end = Micros.parse(textIn(anchor, "period_end") ?? "") ?? Number.NaN
      const isAfter = end > (lastEvent?.createdAt ?? 0)
      const isNextVouched = last < this.#to && last < this.#bound
      const isBefore = !isNextVouched || end <= (next?.createdAt ?? Number.POSITIVE_INFINITY)
      this.#is(isAfter && isBefore, at, what("period_end"))
    }
    if (last > this.#reach.anchors) return
    const truth = log.anchors.find(({ last_sequence: end }) => end === last)
    this.#is(truth?.first_sequence === first, at, what("first_sequence"))
    for (const name of ["merkle_root", "previous_anchor_hash", "tx_hash"] as const) {
      this.#is(anchor[name] === truth?.anchor[name], at, what(name))
    }
  }

  /** Anchors follow one another without a gap, from the edge of the range on. */
  #anchorOrder(): void {
    let next: number | undefined
    for (const value of valuesOf(this.#lines, "anchor")) {
      const [first, last] = [wholeIn(value, "first_sequence") ?? 0, wholeIn(value, "last_sequence") ?? 0]
      if (last < this.#from || first > this.#to) continue
      const follows = next === undefined ? first <= this.#from : first === next
      this.#is(follows, Math.min(last, this.#to), `the place of the anchor from event ${first} on`)
      next = last + 1
    }
  }

  /** Events after the range are events of the log. */
  #removals(): void {
    for (const { event } of valuesOf(this.#lines, "removal")) {
      const header = isObject(event) ? event.header : undefined
      const sequence = wholeIn(header, "sequence") ?? 0
      const truth = this.#truth.events[sequence - 1]
      if (!isObject(event) || !isObject(header) || truth === undefined) {
        this.#is(false, sequence, "a removal that is none")
        continue
      }
      const said: JsonObject = {
        content_hash: truth.contentHash,
        created_at: Micros.format(truth.createdAt),
        id: truth.id,
        previous_event_hash: truth.previousEventHash,
        sequence,
        v: 1,
        workspace_id: this.#truth.log.workspaceId
      }
      this.#is(writeJson(header) === writeJson(said), sequence, `the header of event ${sequence}`)
      this.#is(
        writeJson(event.content ?? null) === truth.content,
        sequence,
        `the content of event ${sequence}`
      )
    }
  }

  /** With a trusted key, the checkpoint is present and was really signed. */
  #checkpoint(): void {
    const note = firstOf(this.#lines, "checkpoint")?.note
    const text = isObject(note) ? noteText(note) : undefined
    const size = isObject(note) ? (wholeIn(note, "size") ?? 0) : 0
    const signed = this.#truth.notes.get(size)
    const isTrue =
      text !== undefined && signed !== undefined && text.split("\n\n")[0] === signed.split("\n\n")[0]
    this.#is(isTrue && size >= this.#to, this.#from, "the checkpoint")
  }

  #end(): void {
    const end = firstOf(this.#lines, "end")
    const count = (type: "anchor" | "event" | "legacy" | "removal") => valuesOf(this.#lines, type).length
    const isRight =
      end?.anchors === count("anchor") &&
      end.events === count("event") &&
      end.legacy === count("legacy") &&
      end.removals === count("removal")
    this.#is(isRight, this.#from, "the closing line")
  }
}

const frontier = (sha256: Sha256Shape, leaves: ReadonlyArray<Uint8Array>): ReadonlyArray<string> => {
  // From the definition (RFC 6962, section 2.1): the complete subtrees, largest first, one for each bit of
  // the size.
  const hashes: Array<string> = []
  let begin = 0
  for (let size = 2 ** 30; size >= 1; size /= 2) {
    if (leaves.length - begin < size) continue
    hashes.push(toHex(merkleRoot(sha256, leaves.slice(begin, begin + size))))
    begin += size
  }
  return hashes
}

/**
 * Everything false in a file, as far as what the auditor brought reaches. A file that the writer could not
 * have made is false as a whole.
 */
export const falsehoods = (
  sha256: Sha256Shape,
  file: { readonly bytes: Uint8Array; readonly isPlain: boolean },
  truth: Truth,
  reach: Reach
): ReadonlyArray<Falsehood> => {
  const lines = file.isPlain ? readFile(file.bytes) : undefined
  if (lines === undefined) return [{ sequence: 0, what: "it is no file that the writer makes" }]
  return new Judge(sha256, lines, truth, reach).all()
}

const anchorLines = (bytes: Uint8Array): ReadonlyArray<JsonObject> =>
  valuesOf(readFile(bytes) ?? [], "anchor")

/** The ends of the anchors of a file that are the log's own, including transaction and block. */
export const trueAnchors = (bytes: Uint8Array, truth: Truth): ReadonlyArray<number> =>
  anchorLines(bytes).flatMap((value) => {
    const last = wholeIn(value, "last_sequence") ?? 0
    const anchor = truth.log.anchors.find(({ last_sequence: end }) => end === last)
    if (anchor === undefined || !isObject(value.anchor)) return []
    const isSame =
      value.anchor.tx_hash === anchor.anchor.tx_hash &&
      writeJson(value.block ?? null) === writeJson((anchor.block ?? null) as Json | null) &&
      value.anchor.merkle_root === anchor.anchor.merkle_root
    return isSame ? [last] : []
  })

/** Whether a file has an anchor that claims to be on the chain. */
export const hasConfirmedAnchor = (bytes: Uint8Array): boolean =>
  anchorLines(bytes).some(({ anchor }) => isObject(anchor) && anchor.status === "confirmed")
