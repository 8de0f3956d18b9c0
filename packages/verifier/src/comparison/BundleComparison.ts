/**
 * Whether anything of an earlier bundle was changed or dropped in a later one of the same log. Both are
 * followed in step, by sequence, so that memory holds no more than a piece of each.
 */

import type { EvidenceEvent, EvidenceHeader, EvidenceLine } from "@cairn/core/evidence"
import { CHAIN_STARTED, EVENT_ERASED, RETENTION_PREFIX } from "@cairn/core/log"
import { type EventName, EventNames } from "../event/EventNames.ts"
import { BUNDLE, type Findings, type Subject } from "../report/Finding.ts"
import { AnchorComparison, type KeptAnchor, keepAnchor } from "./AnchorComparison.ts"

/** An event, as far as it is compared: its hash stands for all of it, once the bundle is verified. */
interface PlacedHash {
  readonly sequence: number
  readonly id: string
  readonly eventHash: string
  readonly createdAt: number
  readonly contentHash: string
  /**
   * A part of the bytes that are being read: no more events wait than these have. Null where it was removed.
   */
  readonly content: Uint8Array | null
  /** Whether the content, if there is one, is that of a record of Cairn's own, which is never removed. */
  readonly isKept: boolean
}

/** Consecutive sequences with the same finding, both ends included. */
interface Run {
  readonly first: PlacedHash
  last: number
  /**
   * Events that differ: what is reported of the first of them, and whether they are changed or only follow a
   * changed one.
   */
  readonly change: Change | null
}

interface Change {
  readonly isItself: boolean
  readonly was: EventName
  readonly is: EventName
  readonly hash: string
}

/** Events of one side that wait for the other side. */
class Waiting {
  #events: Array<PlacedHash> = []
  #next = 0

  get first(): PlacedHash | undefined {
    return this.#events[this.#next]
  }

  push(event: PlacedHash): void {
    this.#events.push(event)
  }

  shift(): void {
    this.#next++
    if (this.#next < this.#events.length) return
    this.#events = []
    this.#next = 0
  }
}

const sayRange = (first: number, last: number): string =>
  first === last ? `Event ${first}` : `Events ${first} to ${last}`

const ascii = new TextEncoder()
/** The beginnings of contents that are never removed. */
const OWN_RECORDS = [`${CHAIN_STARTED}"`, `${EVENT_ERASED}"`, RETENTION_PREFIX].map((action) =>
  ascii.encode(`{"action":"${action}`)
)

/** Compared from the end, since all contents begin alike. */
const beginsWith = (content: Uint8Array, beginning: Uint8Array): boolean => {
  for (let index = beginning.length - 1; index >= 0; index--) {
    if (content[index] !== beginning[index]) return false
  }
  return true
}

const placed = ({ sequence, id, eventHash, contentHash, createdAt, content }: EvidenceEvent): PlacedHash => ({
  sequence,
  id,
  eventHash,
  contentHash,
  createdAt,
  content,
  isKept: content !== null && OWN_RECORDS.some((beginning) => beginsWith(content, beginning))
})

/** The older bundle, which was read before. */
export interface OlderBundle {
  readonly header: EvidenceHeader
  /** Its anchors by their ids. */
  readonly anchors: ReadonlyMap<string, KeptAnchor>
}

/** Takes the events of the older bundle for the second time, and the lines of the newer one. */
export class BundleComparison {
  readonly #findings: Findings
  readonly #header: EvidenceHeader
  readonly #older = new Waiting()
  readonly #newer = new Waiting()
  readonly #names = new EventNames(() => {})
  #newerHeader: EvidenceHeader | undefined
  readonly #anchors: AnchorComparison
  #olderEnded = false
  #newerEnded = false
  #same = 0
  #changed: Run | undefined
  #dropped: Run | undefined

  constructor(findings: Findings, { header, anchors }: OlderBundle) {
    this.#findings = findings
    this.#header = header
    this.#anchors = new AnchorComparison(findings, anchors)
  }

  /** Which bundle must be read next. */
  get behind(): "older" | "newer" {
    return this.#older.first === undefined ? "older" : "newer"
  }

  /** The bundle has ended, or cannot be read on. */
  end(side: "older" | "newer"): void {
    if (side === "older") this.#olderEnded = true
    else this.#newerEnded = true
    this.#match()
  }

  /** A line of the older bundle. */
  olderLine(line: EvidenceLine): void {
    if (line.type !== "event") return
    this.#older.push(placed(line))
    this.#match()
  }

  /** A line of the newer bundle. */
  newerLine(line: EvidenceLine): void {
    if (line.type === "header") this.#newerHeader = line
    if (line.type === "anchor") this.#anchors.newer(keepAnchor(line))
    if (line.type !== "event") return
    this.#newer.push(placed(line))
    this.#match()
  }

  /** Both have ended. */
  finish(): void {
    const [older, newer] = [this.#header, this.#newerHeader]
    if (newer === undefined) return
    if (older.origin !== newer.origin || older.workspace_id !== newer.workspace_id) {
      const named = ({ origin, workspace_id }: EvidenceHeader) => `${workspace_id} ${origin}`
      this.#findings.fail(
        "another_log",
        BUNDLE,
        "The bundles are of different logs",
        named(older),
        named(newer)
      )
      return
    }
    if (newer.created_at < older.created_at) {
      const message = "Which bundle is the later one: the second says that it was made before the first"
      this.#findings.skip(BUNDLE, message, "the bundles in the order of their dates")
    }
    if (this.#changed !== undefined) this.#report(this.#changed, "changed_since")
    if (this.#dropped !== undefined) this.#report(this.#dropped, "dropped_since")
    this.#checkRange(older, newer)
    this.#anchors.finish(newer)
  }

  #checkRange(older: EvidenceHeader, newer: EvidenceHeader): void {
    const [first, last] = [Math.max(older.from, newer.from), Math.min(older.to, newer.to)]
    if (first <= last && this.#same === last - first + 1) {
      this.#findings.prove(BUNDLE, `${sayRange(first, last)}: the same in both bundles`)
    }
    const beside = (begin: number, end: number) => {
      if (begin > end) return
      const message = `${sayRange(begin, end)} of the earlier bundle: outside the later bundle's range`
      this.#findings.skip(BUNDLE, message, "a bundle of the whole range")
    }
    beside(older.from, Math.min(older.to, newer.from - 1))
    beside(Math.max(older.from, newer.to + 1), older.to)
  }

  /** Compares what both sides have. */
  #match(): void {
    for (;;) {
      const [older, newer] = [this.#older.first, this.#newer.first]
      if (older === undefined) {
        if (newer === undefined || !this.#olderEnded) return
        this.#newer.shift()
        continue
      }
      if (newer === undefined) {
        if (!this.#newerEnded) return
        this.#older.shift()
        this.#olderAlone(older)
        continue
      }
      if (newer.sequence < older.sequence) {
        this.#newer.shift()
        continue
      }
      this.#older.shift()
      if (older.sequence < newer.sequence) {
        this.#olderAlone(older)
        continue
      }
      this.#newer.shift()
      if (older.isKept && newer.content === null) this.#recordGone(older)
      if (older.eventHash === newer.eventHash) this.#same++
      else this.#change(older, newer)
    }
  }

  #change(older: PlacedHash, newer: PlacedHash): void {
    const isItself =
      older.id !== newer.id || older.createdAt !== newer.createdAt || older.contentHash !== newer.contentHash
    const run = this.#changed
    if (run?.last === older.sequence - 1 && run.change?.isItself === isItself) {
      run.last = older.sequence
      return
    }
    if (run !== undefined) this.#report(run, "changed_since")
    const [was, is] = [this.#names.of(older), this.#names.of(newer)]
    const change = { isItself, was, is, hash: newer.eventHash }
    this.#changed = { first: older, last: older.sequence, change }
  }

  #recordGone({ sequence, id }: PlacedHash): void {
    const message = "Its content is gone, but Cairn never removes the content of this kind of record"
    this.#findings.fail("dropped_since", { kind: "event", sequence, id }, message)
  }

  /** An event that the newer bundle does not have, perhaps because its range ends earlier. */
  #olderAlone(event: PlacedHash): void {
    const newer = this.#newerHeader
    if (newer === undefined || event.sequence < newer.from || event.sequence > newer.to) return
    const run = this.#dropped
    if (run?.last === event.sequence - 1) run.last = event.sequence
    else {
      if (run !== undefined) this.#report(run, "dropped_since")
      this.#dropped = { first: event, last: event.sequence, change: null }
    }
  }

  #report({ first, last, change }: Run, code: "changed_since" | "dropped_since"): void {
    const { sequence, id, eventHash } = first
    const subject: Subject = { kind: "event", sequence, id }
    const which = sayRange(sequence, last)
    if (change === null) {
      this.#findings.fail(
        code,
        subject,
        `${which}: in the earlier bundle, but missing from the later one`,
        eventHash
      )
      return
    }
    const { isItself, was, is, hash } = change
    const message = isItself
      ? `${which}: differs from the earlier bundle, where ${sayName(was)}`
      : `${which}: unchanged, but events before differ from the earlier bundle`
    this.#findings.fail(code, subject, message, eventHash, hash, is)
  }
}

/** What an event says, for a message. */
const sayName = ({ actor, action, created_at: at }: EventName): string =>
  actor === null || action === null ? `it was recorded at ${at}` : `${actor} did ${action}, recorded at ${at}`
