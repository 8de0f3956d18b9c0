/** Whether the history from before the chain is the one that the chain's first event commits to. */

import { type EventContent, eventHash } from "@cairn/core/event"
import type { EvidenceLegacy } from "@cairn/core/evidence"
import { type Sha256Shape, toHex } from "@cairn/core/hashing"
import { CHAIN_STARTED, FIRST_LEGACY_SEQUENCE } from "@cairn/core/log"
import { emptyFrontier, frontierRoot, type MerkleFrontier, type TreeHash } from "@cairn/core/merkle"
import { GrowingTree, leafOf } from "../checkpoint/GrowingTree.ts"
import type { RemovalCheck } from "../removal/RemovalCheck.ts"
import type { Findings, Subject } from "../report/Finding.ts"
import type { Claim, Obligations } from "../report/Obligations.ts"
import type { ContentHasher } from "./ContentHasher.ts"

/** What the check depends on. */
interface LegacyContext {
  readonly sha256: Sha256Shape
  readonly hasher: ContentHasher
  readonly findings: Findings
  readonly obligations: Obligations
  readonly removals: RemovalCheck
  readonly workspaceId: string
  /** Sequences of the range's first and last event. */
  readonly from: number
  readonly to: number
  /** How many legacy events an earlier bundle has, where the root over as many is asked for. */
  readonly watched: number | null
}

/** Takes the legacy events in order, then the chain's first event. Three SHA-256 an event. */
export class LegacyCheck {
  readonly #context: LegacyContext
  readonly #tree: GrowingTree
  /** Sequence of the last. */
  #last = FIRST_LEGACY_SEQUENCE - 1
  #createdAt = Number.NEGATIVE_INFINITY
  readonly #claim: Claim
  /** The chain's first event, if it has no content. */
  #removed: Subject | undefined

  constructor(context: LegacyContext) {
    this.#context = context
    this.#claim = context.obligations.owe("legacy")
    this.#tree = new GrowingTree(
      context.sha256,
      emptyFrontier,
      context.watched === null ? [] : [context.watched]
    )
  }

  /** How many there were. */
  get count(): number {
    return this.#tree.size
  }

  /** The tree over all of them. */
  get frontier(): MerkleFrontier {
    return this.#tree.frontier
  }

  /** The root over the first of them, as many as were asked about; `undefined` if there are fewer. */
  rootAt(count: number): TreeHash | undefined {
    return this.#tree.rootAt(count)
  }

  check(line: EvidenceLegacy): void {
    const { sha256, hasher, findings, removals, workspaceId, from } = this.#context
    const subject: Subject = { kind: "event", sequence: line.sequence, id: line.id }
    if (from > 1 && this.count === 0) {
      const message =
        "The range begins after the chain's first event, but contains events from before the chain"
      findings.fail("legacy_changed", subject, message)
    }
    const expected = this.#last + 1
    this.#last = line.sequence
    if (line.sequence !== expected) {
      findings.fail(
        "legacy_changed",
        subject,
        "The event does not follow the one before it",
        String(expected),
        String(line.sequence)
      )
    }
    if (line.createdAt <= this.#createdAt) {
      findings.fail("time_went_back", subject, "created_at is not later than that of the event before it")
    }
    this.#createdAt = line.createdAt
    if (!line.canonical) findings.fail("content_not_canonical", subject, "The content is not canonical JSON")
    const computed = line.content === null || line.salt === null ? null : hasher.hash(line.salt, line.content)
    if (computed === null) removals.missing(line.sequence)
    else if (line.contentHash !== null && line.contentHash !== computed) {
      findings.fail(
        "content_changed",
        subject,
        "The content does not have the hash it should have",
        line.contentHash,
        computed
      )
    }
    const hash = eventHash(sha256, {
      contentHash: computed ?? line.contentHash ?? "",
      createdAt: line.createdAtText,
      id: line.id,
      previousEventHash: null,
      sequence: line.sequence,
      workspaceId
    })
    this.#tree.add(leafOf(sha256, hash))
  }

  /**
   * The chain's first event has no content. It was an ordinary event, unless the record of its removal states
   * otherwise.
   */
  removed(subject: Subject): void {
    this.#removed = subject
    if (this.count === 0) return
    // Cairn never removes the content that commits to a history.
    const message = `The chain's first event commits to none of these ${this.count} events from before it: it has no content`
    this.#context.findings.fail("legacy_changed", subject, message)
  }

  /**
   * All records of removals have been read. They state whether the content of the chain's first event is one
   * that is kept, or leave it open.
   */
  finishRemoved(): void {
    const { findings, removals } = this.#context
    if (this.#removed === undefined || this.count > 0) return
    if (removals.isUnclear(1)) {
      const message = "Whether the chain began without earlier events: the content that says so was removed"
      findings.skip(this.#removed, message)
    }
    this.#claim.discharge()
  }

  /** The bundle has no event 1, so it states nothing about a history. */
  finishWithout(subject: Subject): void {
    const { findings, from } = this.#context
    if (this.count > 0 && from === 1) {
      findings.skip(
        subject,
        `${this.count} events from before the chain: nothing in the bundle commits to them`
      )
    }
    if (this.count === 0 || from === 1) this.#claim.discharge()
  }

  /** Holds the history against the chain's first event; its content if it is one of Cairn's own. */
  finish(subject: Subject, content: EventContent | undefined, createdAt: number): void {
    const { findings, sha256 } = this.#context
    const { count } = this
    const begins = content?.action === CHAIN_STARTED
    const committed = begins ? content.metadata : null
    const claimed = committed?.legacy_events ?? 0
    if (count === 0 && !begins) {
      this.#claim.discharge()
      return
    }
    if (count === 0) {
      const message = `The chain begins after ${sayCount(claimed)} earlier events, which are not in the bundle`
      findings.fail("legacy_missing", subject, message)
      return
    }
    const root = toHex(frontierRoot(sha256, this.#tree.frontier))
    const expected = committed?.legacy_merkle_root
    if (claimed !== count || expected !== root || this.#createdAt >= createdAt) {
      const message = `The chain begins after ${sayCount(claimed)} earlier events, but the ${count} in the bundle are different ones`
      findings.fail("legacy_changed", subject, message, typeof expected === "string" ? expected : null, root)
      return
    }
    findings.prove(
      subject,
      `The ${count} events from before the chain are the ones that the chain's first event commits to`
    )
    this.#claim.discharge()
  }
}

/** A number from a file, for a message. */
const sayCount = (claimed: unknown): string =>
  typeof claimed === "number" ? String(claimed) : "an unknown number of"
