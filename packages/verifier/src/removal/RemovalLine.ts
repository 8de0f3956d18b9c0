/** Whether an event beyond the range that is said to record a removal is in the log, and records one. */

import { canonicalize } from "@cairn/core/encoding"
import { isCanonicalContent, parseContent } from "@cairn/core/event"
import type { EvidenceAnchor, EvidenceHeader, EvidenceRemoval } from "@cairn/core/evidence"
import type { Sha256Shape } from "@cairn/core/hashing"
import { type Removal, removalOf } from "@cairn/core/log"
import type { Checkpoint } from "@cairn/core/note"
import { type ProvenEvent, verifyProvenEvent } from "@cairn/core/proof"
import { Result } from "effect"
import type { Findings } from "../report/Finding.ts"
import type { Claim } from "../report/Obligations.ts"
import type { RemovalCheck } from "./RemovalCheck.ts"
import { SequenceSet } from "./SequenceSet.ts"

const utf8 = new TextEncoder()

/** What the check depends on. */
interface RemovalLineContext {
  readonly sha256: Sha256Shape
  readonly findings: Findings
  readonly removals: RemovalCheck
  readonly header: EvidenceHeader
}

/** What the file has before the lines. */
interface BeforeRemovals {
  /** Undefined where it could not be read. */
  readonly checkpoint: Checkpoint | undefined
  /** The last anchor of the file, which may reach beyond the range. */
  readonly newest: EvidenceAnchor | undefined
}

/** Takes the lines; remembers a bit for each. */
export class RemovalLines {
  readonly #context: RemovalLineContext
  readonly #seen = new SequenceSet()
  #count = 0

  constructor(context: RemovalLineContext) {
    this.#context = context
  }

  get count(): number {
    return this.#count
  }

  check({ event }: EvidenceRemoval, before: BeforeRemovals, claim: Claim): void {
    const { findings, removals } = this.#context
    const { sequence, id } = event.header
    this.#count++
    const found = this.#misplaced(sequence) ?? this.#removal(event, before)
    if (typeof found === "string") {
      findings.fail("removal_not_in_log", { kind: "event", sequence, id }, found)
      return
    }
    removals.recorded(found, sequence)
    claim.discharge()
  }

  /** Why it cannot stand there; undefined if it can. */
  #misplaced(sequence: number): string | undefined {
    const { from, to } = this.#context.header
    if (to < from) return "The range has no events, so nothing was removed from it"
    if (sequence <= to) return "It is not after the end of the range"
    if (this.#seen.has(sequence)) return "It stands there twice"
    return this.#seen.add(sequence) ? undefined : "There are more of them than the verifier supports"
  }

  /** What the event records as removed, or why it is rejected. */
  #removal(event: ProvenEvent, { checkpoint, newest }: BeforeRemovals): Removal | string {
    const { sha256, header } = this.#context
    if (checkpoint === undefined) return "There is no checkpoint to prove that it is in the log"
    if (event.header.workspace_id !== header.workspace_id) return "It belongs to another workspace"
    const checked = verifyProvenEvent(sha256, checkpoint, event)
    if (Result.isFailure(checked)) return `Its proof does not hold: ${checked.failure._tag}`
    if (!isInAnchor(event, newest))
      return "It lies in an anchor's period, but nothing proves that the anchor includes it"
    return removalIn(event.content) ?? "It records no removal"
  }
}

/** What a content records as removed, if it has the members of an event's content and no other. */
const removalIn = (value: ProvenEvent["content"]): Removal | undefined => {
  const text = canonicalize(value)
  if (Result.isFailure(text) || !isCanonicalContent(utf8.encode(text.success))) return undefined
  const content = parseContent(text.success)
  return content === undefined ? undefined : removalOf(content)
}

/** What of an anchor is the same wherever it is shown: it may have been confirmed since it was read. */
const SHARED = [
  "merkle_root",
  "previous_anchor_hash",
  "events_count",
  "period_end",
  "first_event_hash",
  "last_event_hash"
] as const satisfies ReadonlyArray<keyof EvidenceAnchor["anchor"]>

/**
 * Whether an event within the period of an anchor of the file is shown to be in it; its proof has been
 * checked against its own anchor.
 */
const isInAnchor = ({ header, anchored }: ProvenEvent, newest: EvidenceAnchor | undefined): boolean => {
  if (newest === undefined || header.sequence > newest.last_sequence) return true
  return (
    anchored !== null &&
    SHARED.every((name) => anchored.anchor[name] === newest.anchor[name]) &&
    anchored.leaf_index === header.sequence - newest.first_sequence
  )
}
