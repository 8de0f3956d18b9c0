/**
 * Whether each anchor holds the events of its period, follows the anchor before it, and is what was sent to
 * the chain.
 */

import { previousAnchorHash } from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import type { EvidenceAnchor, EvidenceEvent } from "@cairn/core/evidence"
import { type Sha256Shape, toHex } from "@cairn/core/hashing"
import {
  emptyFrontier,
  frontierRoot,
  hashFromHex,
  type MerkleFrontier,
  verifyGrowth
} from "@cairn/core/merkle"
import { Result } from "effect"
import { GrowingTree, leafOf } from "../checkpoint/GrowingTree.ts"
import { BUNDLE, type Findings, type Subject } from "../report/Finding.ts"
import type { Brought, Claim, Obligations } from "../report/Obligations.ts"
import { malformedAnchor } from "./AnchorFields.ts"
import {
  type CheckedTransaction,
  type ClaimedBlock,
  checkTransaction,
  type TransactionContext
} from "./AnchorTransaction.ts"

/** What the check depends on. */
interface AnchorContext extends TransactionContext {
  readonly sha256: Sha256Shape
  readonly findings: Findings
  readonly obligations: Obligations
  /** Sequences of the range's first and last event. */
  readonly from: number
  readonly to: number
  /** The obligation for the address that the auditor gave; null if none was given. */
  readonly address: Brought | null
}

/** The period that is open at the edge of a range, from its prefix. */
interface EdgePeriod {
  /** Sequence of its first event. */
  readonly first: number
  readonly frontier: MerkleFrontier
}

/** The edge of a range. */
export interface Edge {
  readonly period: EdgePeriod | null
  /**
   * Discharged once the period is that of the anchor which spans the edge. Null where the prefix is missing
   * or malformed.
   */
  readonly claim: Claim | null
}

/** The events of the period that is open, as far as the bundle has them. */
interface OpenPeriod extends EdgePeriod {
  readonly tree: GrowingTree
  /** Hash of the first event; null when it stands before the range. */
  firstHash: string | null
  lastHash: string | null
  firstAt: number | null
  lastAt: number | null
}

/** Accounts that are named: a log has one, and after a change of the key another. */
const MOST_SENDERS = 20

/** The obligations of an anchor. */
interface AnchorClaims {
  readonly fields: Claim
  readonly place: Claim
  readonly link: Claim
  readonly ends: Claim
  readonly period: Claim
  readonly root: Claim
}

/** A block that holds a proven anchor, and the last event of the bundle that the anchor holds. */
export interface AnchoredBlock {
  readonly block: ClaimedBlock
  readonly upTo: number
  /** Whether all obligations of the anchor are discharged. */
  readonly proven: boolean
}

const oweAnchor = (obligations: Obligations): AnchorClaims => ({
  fields: obligations.owe("anchor_fields"),
  place: obligations.owe("anchor_place"),
  link: obligations.owe("anchor_link"),
  ends: obligations.owe("anchor_ends"),
  period: obligations.owe("anchor_period"),
  root: obligations.owe("anchor_root")
})

/** Takes the events and anchors of a bundle in their order. A SHA-256 an event on top of the log's. */
export class AnchorCheck {
  readonly #context: AnchorContext
  readonly #edge: Edge
  #period: OpenPeriod
  #previous: EvidenceAnchor | undefined
  /** Whether the fields of the anchor before are those of one. */
  #previousWellFormed = false
  /** The end of the last period: no later event may be recorded before it. */
  #floor = Number.NEGATIVE_INFINITY
  #count = 0
  readonly #blocks: Array<AnchoredBlock> = []
  readonly #senders = new Set<string>()
  #otherTransactions = 0

  /** Begins with a period that is open at the edge of the range, or with a new one. */
  constructor(context: AnchorContext, edge: Edge) {
    this.#context = context
    this.#edge = edge
    this.#period = this.#begin(edge.period?.first ?? context.from, edge.period?.frontier ?? emptyFrontier)
  }

  get count(): number {
    return this.#count
  }

  /** The blocks that anchors were proven to be in. */
  get blocks(): ReadonlyArray<AnchoredBlock> {
    return this.#blocks
  }

  /** Accounts that signed transactions that carry the roots of anchors; the first {@link MOST_SENDERS}. */
  get senders(): ReadonlyArray<string> {
    return [...this.#senders]
  }

  /** How many such transactions other accounts have signed. */
  get otherTransactions(): number {
    return this.#otherTransactions
  }

  /** The last anchor that came. */
  get newest(): EvidenceAnchor | undefined {
    return this.#previous
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
    // An event that the anchor covers can stand behind it only if the anchor was moved, which is reported for
    // the anchor.
    if (createdAt < this.#floor && sequence > (this.#previous?.last_sequence ?? 0)) {
      const message = "It was recorded within a period that is anchored, but the anchor does not include it"
      this.#context.findings.fail("anchor_period_differs", { kind: "event", sequence, id }, message)
    }
    this.#add(this.#period, event, leaves, index)
  }

  /** `complete` says whether every event so far stood in its place. */
  anchor(line: EvidenceAnchor, lastSequence: number, complete: boolean): void {
    const { to } = this.#context
    const subject: Subject = { kind: "anchor", id: line.anchor.id }
    const claims = oweAnchor(this.#context.obligations)
    this.#count++
    const wellFormed = this.#checkFields(line, subject, claims.fields)
    if (wellFormed) {
      // Link and place are two checks: the link names the anchor before, the place depends on the events.
      this.#checkLink(line, subject, claims.link)
      const placed = this.#checkPlace(line, lastSequence, complete, subject, claims.place)
      if (placed) this.#checkEvents(line, subject, claims)
    }
    const upTo = Math.min(line.last_sequence, to)
    this.#transaction(checkTransaction(this.#context, line), upTo, claims)
    this.#previous = line
    this.#previousWellFormed = wellFormed
    this.#period = this.#begin(line.last_sequence + 1, emptyFrontier)
    this.#floor = Micros.parse(line.anchor.period_end) ?? this.#floor
  }

  /** Ends the check: there are no more lines. */
  finish(lastSequence: number): void {
    const { findings } = this.#context
    const { first } = this.#period
    // Without an anchor, nothing refers to the period at the edge, and nothing depends on it.
    if (this.#count === 0) this.#edge.claim?.discharge()
    if (first <= lastSequence) {
      findings.skip(BUNDLE, `Events ${first} to ${lastSequence}: no anchor in the bundle holds them yet`)
    }
  }

  #begin(first: number, frontier: MerkleFrontier): OpenPeriod {
    const tree = new GrowingTree(this.#context.sha256, frontier)
    return { first, frontier, tree, firstHash: null, lastHash: null, firstAt: null, lastAt: null }
  }

  #add(
    period: OpenPeriod,
    { eventHash, createdAt }: { readonly eventHash: string; readonly createdAt: number | null },
    leaves: Uint8Array,
    index: number
  ): void {
    if (period.tree.size === 0) period.firstHash = eventHash
    period.firstAt ??= createdAt
    period.tree.add(leaves, index)
    period.lastHash = eventHash
    period.lastAt = createdAt
  }

  /** The transaction vouches for the events only if everything else about the anchor holds. */
  #transaction({ sender, block }: CheckedTransaction, upTo: number, claims: AnchorClaims): void {
    const proven = Object.values(claims).every(({ discharged }: Claim) => discharged) && sender !== null
    // Another account's transaction is a failure, so this one is the account's.
    if (proven) this.#context.address?.discharge(upTo)
    if (sender !== null) this.#sentBy(sender)
    if (block !== null) this.#blocks.push({ block, upTo, proven })
  }

  #sentBy(sender: string): void {
    if (this.#senders.has(sender)) return
    if (this.#senders.size < MOST_SENDERS) this.#senders.add(sender)
    else this.#otherTransactions++
  }

  /** Whether the fields of the anchor agree with each other. */
  #checkFields(line: EvidenceAnchor, subject: Subject, claim: Claim): boolean {
    const { findings } = this.#context
    const { anchor, first_sequence: first, last_sequence: last } = line
    const wrong = malformedAnchor(line)
    if (wrong !== undefined) {
      findings.fail("anchor_malformed", subject, wrong)
      return false
    }
    if (anchor.events_count !== last - first + 1 || first > last) {
      const message = "events_count is not the number of its events"
      const [expected, actual] = [String(last - first + 1), String(anchor.events_count)]
      findings.fail("anchor_events_differ", subject, message, expected, actual)
      return false
    }
    claim.discharge()
    return true
  }

  /** Whether it names the anchor before it. */
  #checkLink({ anchor, first_sequence: first }: EvidenceAnchor, subject: Subject, claim: Claim): void {
    const { findings, sha256 } = this.#context
    const previous = this.#previous
    const stated = anchor.previous_anchor_hash
    if (previous === undefined) {
      if ((first === 1) !== (stated === null)) {
        const message =
          first === 1
            ? "It is the first anchor, but names a previous one"
            : "It is not the first anchor, but names no previous one"
        findings.fail("anchor_link_broken", subject, message, null, stated)
        return
      }
      if (first > 1) {
        const message = "Its link to the previous anchor: the bundle does not contain that anchor"
        findings.skip(subject, message, "a bundle that begins earlier")
      }
      claim.discharge()
      return
    }
    // A malformed anchor has already been reported.
    if (!this.#previousWellFormed) return
    const expected = previousAnchorHash(sha256, previous.anchor)
    if (stated === expected) claim.discharge()
    else {
      const message = "previous_anchor_hash is not the hash of the previous anchor"
      findings.fail("anchor_link_broken", subject, message, expected, stated)
    }
  }

  /** Whether its events begin where those of the anchor before end, and it stands where its own end. */
  #checkPlace(
    { first_sequence: first, last_sequence: last }: EvidenceAnchor,
    lastSequence: number,
    complete: boolean,
    subject: Subject,
    claim: Claim
  ): boolean {
    const { findings, from, to } = this.#context
    const previous = this.#previous
    if (first > to || last < from || to < from) {
      findings.fail("anchor_misplaced", subject, "Its events are not in the bundle's range")
      return false
    }
    if (previous === undefined && first > from) {
      findings.fail("anchor_missing", subject, `Events ${from} to ${first - 1} belong to no anchor`)
      return false
    }
    if (previous !== undefined && first !== previous.last_sequence + 1) {
      const message = "Its first event does not follow the last event of the previous anchor"
      findings.fail("anchor_missing", subject, message, String(previous.last_sequence + 1), String(first))
      return false
    }
    // Missing or misplaced events have already been reported.
    if (!complete) return false
    if (lastSequence !== Math.min(last, to)) {
      const message = "It is not placed right after its last event"
      findings.fail("anchor_misplaced", subject, message, String(Math.min(last, to)), String(lastSequence))
      return false
    }
    claim.discharge()
    return true
  }

  /** Whether the events are those that it is the root of. */
  #checkEvents(line: EvidenceAnchor, subject: Subject, claims: AnchorClaims): void {
    if (this.#previous === undefined && !this.#checkEdge(line, subject)) return
    this.#checkEnds(line, subject, claims.ends)
    this.#checkPeriod(line, subject, claims.period)
    this.#checkRoot(line, subject, claims.root)
  }

  /** Whether the prefix has the period of the first anchor, as far as it stands before the range. */
  #checkEdge({ first_sequence: first }: EvidenceAnchor, subject: Subject): boolean {
    const { findings, from } = this.#context
    const { period, claim } = this.#edge
    if (from === 1) return true
    const expected = first < from ? first : null
    const stated = period?.first ?? null
    // Without a claim the prefix is invalid, which has already been reported.
    if (stated === expected && claim !== null) {
      claim.discharge()
      return true
    }
    if (claim !== null) {
      const message = `The prefix ${stated === null ? "has no part of its period" : "begins a different period"}`
      findings.fail(
        "prefix_malformed",
        subject,
        message,
        expected === null ? null : String(expected),
        stated === null ? null : String(stated)
      )
    }
    return false
  }

  #checkEnds({ anchor, last_sequence: last }: EvidenceAnchor, subject: Subject, claim: Claim): void {
    const { findings, to } = this.#context
    const ends = [
      ["first_event_hash", anchor.first_event_hash, this.#period.firstHash],
      ["last_event_hash", anchor.last_event_hash, last <= to ? this.#period.lastHash : null]
    ] as const
    const wrong = ends.filter(([, stated, actual]) => actual !== null && stated !== actual)
    for (const [name, stated, actual] of wrong) {
      findings.fail("anchor_events_differ", subject, `${name} belongs to a different event`, actual, stated)
    }
    if (wrong.length === 0) claim.discharge()
  }

  #checkPeriod({ anchor }: EvidenceAnchor, subject: Subject, claim: Claim): void {
    const { findings } = this.#context
    const { firstAt, lastAt } = this.#period
    const start = Micros.parse(anchor.period_start) ?? Number.NaN
    const end = Micros.parse(anchor.period_end) ?? Number.NaN
    if (start < this.#floor) {
      findings.fail("anchor_period_differs", subject, "Its period begins before the previous one ends")
      return
    }
    const within =
      start < end && !(firstAt !== null && firstAt < start) && !(lastAt !== null && lastAt >= end)
    if (within) claim.discharge()
    else {
      const message = "Its events were not all recorded within its period"
      findings.fail("anchor_period_differs", subject, message, anchor.period_start, anchor.period_end)
    }
  }

  #checkRoot(line: EvidenceAnchor, subject: Subject, claim: Claim): void {
    const { findings, sha256, from, to } = this.#context
    const { anchor, after, first_sequence: first, last_sequence: last } = line
    const { frontier } = this.#period.tree
    const root = Result.getOrThrow(hashFromHex(anchor.merkle_root, "root"))
    const grown = verifyGrowth(sha256, frontier, anchor.events_count, root, after)
    if (Result.isFailure(grown)) {
      const message =
        last > to && after.length === 0
          ? "The bundle does not link its events to its root"
          : "The hashes of its events give a different root"
      const computed = toHex(frontierRoot(sha256, frontier))
      findings.fail("anchor_root_differs", subject, message, anchor.merkle_root, computed)
      return
    }
    const [begin, end] = [Math.max(first, from), Math.min(last, to)]
    findings.prove(subject, `Its root holds the hashes of the ${end - begin + 1} events ${begin} to ${end}`)
    claim.discharge()
  }
}
