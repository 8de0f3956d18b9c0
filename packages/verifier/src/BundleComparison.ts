/**
 * Whether anything of an earlier bundle was changed or dropped in a later one of the same log. Both are followed in step, by sequence,
 * so that memory holds no more than a piece of each.
 */
import {
  CHAIN_STARTED,
  EVENT_ERASED,
  type EvidenceAnchor,
  type EvidenceEvent,
  type EvidenceHeader,
  type EvidenceLine,
  RETENTION_PREFIX
} from "@cairn/core"
import { BUNDLE, type Findings, type Subject } from "./Finding.ts"

/** An event, as far as it is compared: its hash stands for all of it, once the bundle is verified. */
interface PlacedHash {
  readonly sequence: number
  readonly id: string
  readonly eventHash: string
  /** Whether there is a content. */
  readonly hasContent: boolean
  /** Whether the content, if there is one, is that of a record of Cairn's own, which is never removed. */
  readonly isKept: boolean
}

/** Sequences one after the other, both ends included. */
interface Run {
  readonly first: PlacedHash
  last: number
}

/** Events that have come from one side and wait for the other. */
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

/** An anchor without its transaction, which may be large. */
export interface KeptAnchor extends Anchored {
  readonly first_sequence: number
  readonly last_sequence: number
}

type Anchored = EvidenceAnchor["anchor"]

/** What a comparison keeps of an anchor. */
export const keepAnchor = ({ anchor, first_sequence, last_sequence }: EvidenceAnchor): KeptAnchor => ({
  ...anchor,
  first_sequence,
  last_sequence
})

/** What of an anchor never changes. */
const FIXED = [
  "first_sequence",
  "last_sequence",
  "merkle_root",
  "previous_anchor_hash",
  "events_count",
  "period_start",
  "period_end",
  "created_at",
  "first_event_hash",
  "last_event_hash"
] as const satisfies ReadonlyArray<keyof KeptAnchor>

/** What is set once, when the anchor is confirmed. */
const SET_ONCE = ["tx_hash", "block_number"] as const satisfies ReadonlyArray<keyof KeptAnchor>

const sayRange = (first: number, last: number): string =>
  first === last ? `Event ${first}` : `Events ${first} to ${last}`

const ascii = new TextEncoder()
/** How the contents begin that are never removed. */
const OWN_RECORDS = [`${CHAIN_STARTED}"`, `${EVENT_ERASED}"`, RETENTION_PREFIX].map((action) =>
  ascii.encode(`{"action":"${action}`)
)

/** From the end: what all contents begin with alike tells nothing. */
const beginsWith = (content: Uint8Array, beginning: Uint8Array): boolean => {
  for (let index = beginning.length - 1; index >= 0; index--) {
    if (content[index] !== beginning[index]) return false
  }
  return true
}

const placed = ({ sequence, id, eventHash, content }: EvidenceEvent): PlacedHash => ({
  sequence,
  id,
  eventHash,
  hasContent: content !== null,
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
  #newerHeader: EvidenceHeader | undefined
  /** Anchors that the newer bundle has not shown yet. */
  readonly #anchors: Map<string, KeptAnchor>
  #olderEnded = false
  #newerEnded = false
  #same = 0
  #changed: Run | undefined
  #dropped: Run | undefined

  constructor(findings: Findings, { header, anchors }: OlderBundle) {
    this.#findings = findings
    this.#header = header
    this.#anchors = new Map(anchors)
  }

  /** Which bundle has to go on before the other can. */
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
    if (line.type === "anchor") this.#anchor(keepAnchor(line))
    if (line.type !== "event") return
    this.#newer.push(placed(line))
    this.#match()
  }

  #anchor(anchor: KeptAnchor): void {
    const before = this.#anchors.get(anchor.id)
    if (before === undefined) return
    this.#anchors.delete(anchor.id)
    const differs = (name: keyof KeptAnchor) => before[name] !== anchor[name]
    const changed = [
      ...FIXED.filter(differs),
      ...SET_ONCE.filter((name) => before[name] !== null && differs(name))
    ]
    for (const name of changed) {
      const message = `${name} is not the one of the earlier bundle`
      const subject: Subject = { kind: "anchor", id: anchor.id }
      this.#findings.fail("changed_since", subject, message, said(before[name]), said(anchor[name]))
    }
  }

  /** Both have ended. */
  finish(): void {
    const [older, newer] = [this.#header, this.#newerHeader]
    if (newer === undefined) return
    if (older.origin !== newer.origin || older.workspace_id !== newer.workspace_id) {
      const named = ({ origin, workspace_id }: EvidenceHeader) => `${workspace_id} ${origin}`
      this.#findings.fail("another_log", BUNDLE, "The bundles are of two logs", named(older), named(newer))
      return
    }
    if (newer.created_at < older.created_at) {
      const message = "Which bundle is the later one: the second says that it was made before the first"
      this.#findings.skip(BUNDLE, message, "the bundles in the order of their dates")
    }
    if (this.#changed !== undefined) this.#report(this.#changed, "changed_since")
    if (this.#dropped !== undefined) this.#report(this.#dropped, "dropped_since")
    this.#checkRange(older, newer)
    this.#checkAnchors(newer)
  }

  /** Whether every anchor over events of the newer bundle has been in it. */
  #checkAnchors({ from, to }: EvidenceHeader): void {
    for (const { id, first_sequence: first, last_sequence: last } of this.#anchors.values()) {
      if (first > to || last < from) continue
      const message = "The later bundle does not have it any more"
      this.#findings.fail("dropped_since", { kind: "anchor", id }, message)
    }
  }

  #checkRange(older: EvidenceHeader, newer: EvidenceHeader): void {
    const [first, last] = [Math.max(older.from, newer.from), Math.min(older.to, newer.to)]
    if (first <= last && this.#same === last - first + 1) {
      this.#findings.prove(BUNDLE, `${sayRange(first, last)}: the same in both bundles`)
    }
    const beside = (begin: number, end: number) => {
      if (begin > end) return
      const message = `${sayRange(begin, end)} of the earlier bundle: the later one does not reach there`
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
      if (older.isKept && !newer.hasContent) this.#recordGone(older)
      if (older.eventHash === newer.eventHash) this.#same++
      else this.#changed = this.#extend(this.#changed, older, "changed_since")
    }
  }

  #recordGone({ sequence, id }: PlacedHash): void {
    const message = "Its content is gone, and Cairn removes none of its own records'"
    this.#findings.fail("dropped_since", { kind: "event", sequence, id }, message)
  }

  /** An event that the newer bundle does not have, be it that it does not go there. */
  #olderAlone(event: PlacedHash): void {
    const newer = this.#newerHeader
    if (newer === undefined || event.sequence < newer.from || event.sequence > newer.to) return
    this.#dropped = this.#extend(this.#dropped, event, "dropped_since")
  }

  #extend(run: Run | undefined, event: PlacedHash, code: "changed_since" | "dropped_since"): Run {
    if (run !== undefined && run.last === event.sequence - 1) {
      run.last = event.sequence
      return run
    }
    if (run !== undefined) this.#report(run, code)
    return { first: event, last: event.sequence }
  }

  #report({ first: { sequence, id, eventHash }, last }: Run, code: "changed_since" | "dropped_since"): void {
    const what = code === "changed_since" ? "not as in the earlier bundle" : "in the earlier bundle, and gone"
    const message = `${sayRange(sequence, last)}: ${what}`
    this.#findings.fail(code, { kind: "event", sequence, id }, message, eventHash)
  }
}

const said = (value: string | number | null): string | null => (value === null ? null : String(value))
