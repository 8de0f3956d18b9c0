/** Whether the anchors of an earlier bundle are in a later one of the same log, and the same. */
import type { EvidenceAnchor, EvidenceHeader } from "@cairn/core/evidence"
import type { Findings, Subject } from "../report/Finding.ts"

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

/**
 * Members that are set when the anchor is confirmed, and again if a reorganisation of the chain drops its
 * block. The links of later anchors prove them.
 */
const OF_THE_CHAIN = ["tx_hash", "block_number"] as const satisfies ReadonlyArray<keyof KeptAnchor>

/** Takes the anchors of the newer bundle. */
export class AnchorComparison {
  readonly #findings: Findings
  /** Those of the older one that the newer one has not shown yet, by their ids. */
  readonly #older: Map<string, KeptAnchor>

  constructor(findings: Findings, older: ReadonlyMap<string, KeptAnchor>) {
    this.#findings = findings
    this.#older = new Map(older)
  }

  /** An anchor of the newer bundle. */
  newer(anchor: KeptAnchor): void {
    const before = this.#older.get(anchor.id)
    if (before === undefined) return
    this.#older.delete(anchor.id)
    const differs = (name: keyof KeptAnchor) => before[name] !== anchor[name]
    const subject: Subject = { kind: "anchor", id: anchor.id }
    for (const name of OF_THE_CHAIN.filter((one) => before[one] !== null && differs(one))) {
      const message = `${name} is ${said(anchor[name]) ?? "gone"}, but was ${said(before[name])} in the earlier bundle: whether the chain was reorganised`
      this.#findings.skip(subject, message, "a block explorer")
    }
    for (const name of FIXED.filter(differs)) {
      const message = `${name} is not the same as in the earlier bundle`
      this.#findings.fail("changed_since", subject, message, said(before[name]), said(anchor[name]))
    }
  }

  /** Whether every anchor over events of the newer bundle has been in it. */
  finish({ from, to }: EvidenceHeader): void {
    for (const { id, first_sequence: first, last_sequence: last } of this.#older.values()) {
      if (first > to || last < from) continue
      const message = "The later bundle no longer contains it"
      this.#findings.fail("dropped_since", { kind: "anchor", id }, message)
    }
  }
}

const said = (value: string | number | null): string | null => (value === null ? null : String(value))
