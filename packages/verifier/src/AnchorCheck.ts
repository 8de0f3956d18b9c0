/** Whether each anchor holds the events of its period, follows the anchor before it, and is what was sent to the chain. */
import {
  type AnchorDetail,
  type EvidenceAnchor,
  type EvidenceEvent,
  emptyFrontier,
  frontierRoot,
  hashFromHex,
  type MerkleFrontier,
  Micros,
  previousAnchorHash,
  type Sha256Shape,
  toHex,
  verifyGrowth
} from "@cairn/core"
import { Result } from "effect"
import { type CheckedTransaction, checkTransaction, type TransactionContext } from "./AnchorTransaction.ts"
import type { Findings, Subject } from "./Finding.ts"
import { GrowingTree, leafOf } from "./GrowingTree.ts"

/** What the check needs of its surroundings. */
export interface AnchorContext extends TransactionContext {
  readonly sha256: Sha256Shape
  readonly findings: Findings
  /** Sequences of the range's first and last event. */
  readonly from: number
  readonly to: number
}

/** The events of the period that is open, as far as the bundle has them. */
interface OpenPeriod {
  /** Sequence of its first event. */
  readonly first: number
  readonly tree: GrowingTree
  /** Hash of the first event; null when it stands before the range. */
  firstHash: string | null
  lastHash: string | null
  firstAt: number | null
  lastAt: number | null
}

const HASH = /^[0-9a-f]{64}$/
const TRANSACTION_HASH = /^0x[0-9a-f]{64}$/

/** Takes the events and anchors of a bundle in their order. A SHA-256 an event on top of the log's. */
export class AnchorCheck {
  readonly #context: AnchorContext
  #period: OpenPeriod
  #previous: EvidenceAnchor | undefined
  /** Nothing is recorded before this moment any more: the last period's end. */
  #floor = Number.NEGATIVE_INFINITY
  #count = 0
  readonly #transactions: Array<CheckedTransaction> = []

  /** Begins with a period that is open at the edge of the range, or with a new one. */
  constructor(
    context: AnchorContext,
    open: { readonly first: number; readonly frontier: MerkleFrontier } | null
  ) {
    this.#context = context
    this.#period = this.#begin(open?.first ?? context.from, open?.frontier ?? emptyFrontier)
  }

  get count(): number {
    return this.#count
  }

  /** What became known of the transactions, one for each anchor. */
  get transactions(): ReadonlyArray<CheckedTransaction> {
    return this.#transactions
  }

  /** The event before the range, known by its hash alone. */
  predecessor(eventHash: string): void {
    const period = this.#period
    const { from, sha256 } = this.#context
    if (period.first < from) this.#add(period, { eventHash, createdAt: null }, leafOf(sha256, eventHash), 0)
  }

  /** An event, whose leaf hash stands at `index` among others. */
  event(event: EvidenceEvent, leaves: Uint8Array, index: number): void {
    const { sequence, id, createdAt } = event
    // One that the anchor covers stands behind it only because the anchor was moved, which is said of the anchor.
    if (createdAt < this.#floor && sequence > (this.#previous?.last_sequence ?? 0)) {
      const message = "It was recorded within a period that had been anchored without it"
      this.#context.findings.fail("anchor_period_differs", { kind: "event", sequence, id }, message)
    }
    this.#add(this.#period, event, leaves, index)
  }

  /** `complete` says whether every event so far stood in its place. */
  anchor(line: EvidenceAnchor, lastSequence: number, complete: boolean): void {
    const { findings, from, to } = this.#context
    const { anchor } = line
    const subject: Subject = { kind: "anchor", id: anchor.id }
    this.#count++
    if (this.#checkFields(line, subject)) {
      const follows = this.#checkLink(line, subject)
      const inRange = line.first_sequence <= to && line.last_sequence >= from
      if (!inRange) findings.skip(subject, "Its events are not in the bundle's range")
      else if (!complete) findings.skip(subject, "Its root: events are missing or misplaced")
      else if (follows) this.#checkEvents(line, lastSequence, subject)
    }
    this.#transactions.push(checkTransaction(this.#context, line))
    this.#previous = line
    // One that lies before the range says nothing of the period that is open at its edge.
    if (line.last_sequence >= from) this.#period = this.#begin(line.last_sequence + 1, emptyFrontier)
    this.#floor = Micros.parse(anchor.period_end) ?? this.#floor
  }

  /** There is no more to come. */
  finish(lastSequence: number): void {
    const { findings } = this.#context
    const { first } = this.#period
    if (first <= lastSequence) {
      findings.skip(
        { kind: "bundle" },
        `Events ${first} to ${lastSequence}: no anchor in the bundle holds them yet`
      )
    }
  }

  #begin(first: number, frontier: MerkleFrontier): OpenPeriod {
    const tree = new GrowingTree(this.#context.sha256, frontier)
    return { first, tree, firstHash: null, lastHash: null, firstAt: null, lastAt: null }
  }

  #add(
    period: OpenPeriod,
    { eventHash, createdAt }: { readonly eventHash: string; readonly createdAt: number | null },
    leaves: Uint8Array,
    index: number
  ): void {
    if (period.tree.size === 0) {
      period.firstHash = eventHash
      period.firstAt = createdAt
    }
    period.tree.add(leaves, index)
    period.lastHash = eventHash
    period.lastAt = createdAt
  }

  /** Whether the fields of the anchor agree with each other. */
  #checkFields(
    { anchor, first_sequence: first, last_sequence: last }: EvidenceAnchor,
    subject: Subject
  ): boolean {
    const { findings } = this.#context
    const wrong = malformed(anchor)
    if (wrong !== undefined) {
      findings.fail("anchor_malformed", subject, wrong)
      return false
    }
    if (anchor.events_count === last - first + 1 && first <= last) return true
    const message = "events_count is not the number of its events"
    findings.fail(
      "anchor_events_differ",
      subject,
      message,
      String(last - first + 1),
      String(anchor.events_count)
    )
    return false
  }

  /** Whether it follows the anchor before it; says whether its events begin where that one's end. */
  #checkLink({ anchor, first_sequence: first }: EvidenceAnchor, subject: Subject): boolean {
    const { findings, sha256, from } = this.#context
    const previous = this.#previous
    const stated = anchor.previous_anchor_hash
    if (previous === undefined) {
      if ((first === 1) !== (stated === null)) {
        const message =
          first === 1 ? "It is the first, and names one before" : "It is not the first, and names none before"
        findings.fail("anchor_link_broken", subject, message, null, stated)
      } else if (first > 1) {
        findings.skip(
          subject,
          "The anchor before it: the bundle does not hold it",
          "a bundle that begins earlier"
        )
      }
      if (from > 1 || first === 1) return true
      findings.fail("anchor_missing", subject, `Events 1 to ${first - 1} belong to no anchor`)
      return false
    }
    const expected = previousAnchorHash(sha256, previous.anchor)
    if (stated !== expected) {
      const message = "previous_anchor_hash is not that of the anchor before it"
      findings.fail("anchor_link_broken", subject, message, expected, stated)
    }
    if (anchor.period_start < previous.anchor.period_end) {
      findings.fail("anchor_period_differs", subject, "Its period begins before the end of the one before")
    }
    if (first === previous.last_sequence + 1) return true
    const message = "Its events do not begin where those of the anchor before end"
    findings.fail("anchor_missing", subject, message, String(previous.last_sequence + 1), String(first))
    return false
  }

  /** Whether the events are those that it is the root of. */
  #checkEvents(line: EvidenceAnchor, lastSequence: number, subject: Subject): void {
    const { findings, to, from } = this.#context
    const period = this.#period
    const { anchor, first_sequence: first, last_sequence: last } = line
    if (period.first !== first) {
      const message =
        first < from ? "Its root: the bundle holds only part of its events" : "Its events begin elsewhere"
      if (first < from) findings.skip(subject, message, "a bundle that begins earlier")
      else findings.fail("anchor_missing", subject, message, String(period.first), String(first))
      return
    }
    if (lastSequence !== Math.min(last, to)) {
      const message = "It does not stand where its events end"
      findings.fail("anchor_misplaced", subject, message, String(Math.min(last, to)), String(lastSequence))
      return
    }
    this.#checkEnds(line, period, subject)
    this.#checkPeriod(anchor, period, subject)
    this.#checkRoot(line, period, subject)
  }

  #checkEnds({ anchor, last_sequence: last }: EvidenceAnchor, period: OpenPeriod, subject: Subject): void {
    const { findings, to } = this.#context
    const ends = [
      ["first_event_hash", anchor.first_event_hash, period.firstHash],
      ["last_event_hash", anchor.last_event_hash, last <= to ? period.lastHash : null]
    ] as const
    for (const [name, stated, actual] of ends) {
      if (actual === null || stated === actual) continue
      findings.fail("anchor_events_differ", subject, `${name} is another event's`, actual, stated)
    }
  }

  #checkPeriod(anchor: AnchorDetail, { firstAt, lastAt }: OpenPeriod, subject: Subject): void {
    const start = Micros.parse(anchor.period_start) ?? Number.NaN
    const end = Micros.parse(anchor.period_end) ?? Number.NaN
    const within =
      start < end && !(firstAt !== null && firstAt < start) && !(lastAt !== null && lastAt >= end)
    if (within) return
    const message = "Its events were not all recorded within its period"
    this.#context.findings.fail(
      "anchor_period_differs",
      subject,
      message,
      anchor.period_start,
      anchor.period_end
    )
  }

  #checkRoot(
    { anchor, after, first_sequence: first, last_sequence: last }: EvidenceAnchor,
    period: OpenPeriod,
    subject: Subject
  ): void {
    const { findings, sha256, from, to } = this.#context
    const { frontier } = period.tree
    if (last > to && after.length === 0) {
      findings.skip(
        subject,
        "Its root: the bundle holds only part of its events",
        "a bundle that goes on longer"
      )
      return
    }
    const root = Result.getOrThrow(hashFromHex(anchor.merkle_root, "root"))
    const grown = verifyGrowth(sha256, frontier, anchor.events_count, root, after)
    if (Result.isFailure(grown)) {
      const message = "The root over its events is another one"
      const computed = toHex(frontierRoot(sha256, frontier))
      findings.fail("anchor_root_differs", subject, message, anchor.merkle_root, computed)
      return
    }
    const [begin, end] = [Math.max(first, from), Math.min(last, to)]
    findings.prove(subject, `Its root holds the ${end - begin + 1} events ${begin} to ${end}`)
  }
}

/** Why the fields of an anchor cannot be those of one. */
const malformed = (anchor: AnchorDetail): string | undefined => {
  const { status, tx_hash: transaction, block_number: block } = anchor
  if (!HASH.test(anchor.merkle_root)) return "merkle_root is no hash"
  if (anchor.previous_anchor_hash !== null && !HASH.test(anchor.previous_anchor_hash)) {
    return "previous_anchor_hash is no hash"
  }
  if (transaction !== null && !TRANSACTION_HASH.test(transaction)) return "tx_hash is no transaction's hash"
  if ((status === "confirmed") !== (transaction !== null) || (status === "confirmed") !== (block !== null)) {
    return `It is ${status}, and tx_hash and block_number say otherwise`
  }
  return undefined
}
