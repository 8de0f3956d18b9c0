/**
 * Whether an event of the log records the removal of each missing content. That event comes later, so missing
 * contents are remembered until then.
 */
import type { Removal, RetentionInterval } from "@cairn/core/log"
import type { Findings } from "../report/Finding.ts"
import type { Obligations } from "../report/Obligations.ts"
import { type SequenceRun, SequenceSet } from "./SequenceSet.ts"

/** Follows a log in order. Remembers a bit for each content that is missing and not accounted for yet. */
export class RemovalCheck {
  readonly #missing = new SequenceSet()
  /** Below which sequence records of the older form account for contents. */
  #below = Number.NEGATIVE_INFINITY
  #removed = 0
  #accounted = 0
  /** Of the missing contents that only such records account for: how many, the first and the last. */
  readonly #unclear = { count: 0, first: 0, last: 0 }
  readonly #findings: Findings
  readonly #obligations: Obligations

  constructor(findings: Findings, obligations: Obligations) {
    this.#findings = findings
    this.#obligations = obligations
  }

  /** The content of this event is missing. */
  missing(sequence: number): void {
    this.#removed++
    if (!this.#missing.add(sequence)) this.#unrecorded({ first: sequence, last: sequence })
  }

  /** The event of sequence `by` records this removal; it accounts for events before it only. */
  recorded(removal: Removal, by: number): void {
    if (removal.type === "erasure") {
      for (const sequence of removal.sequences) {
        if (sequence < by && this.#missing.delete(sequence)) this.#accounted++
      }
    } else if (removal.kept === null) this.#below = Math.max(this.#below, Math.min(removal.belowSequence, by))
    else this.#applied(removal, by)
  }

  #applied({ fromSequence, belowSequence, kept }: RetentionInterval, by: number): void {
    for (const sequence of kept) {
      if (sequence >= by || !this.#missing.delete(sequence)) continue
      const message = `The content is missing, but event ${by} of the log says that it was kept`
      this.#fail(sequence, message)
    }
    this.#accounted += this.#missing.deleteFrom(fromSequence, Math.min(belowSequence, by))
  }

  /**
   * Whether only records of the older form account for a missing content; once there are no more records to
   * come.
   */
  isUnclear(sequence: number): boolean {
    return sequence < this.#below && this.#missing.has(sequence)
  }

  /** Ends the check: there are no more lines. */
  finish(): void {
    for (const { first, last } of this.#missing.runs()) {
      const end = Math.min(last, this.#below - 1)
      if (first <= end) this.#accountUnclearly({ first, last: end })
      if (last > end) this.#unrecorded({ first: Math.max(first, end + 1), last })
    }
    this.#obligations.settle("content_removal", this.#removed, this.#accounted)
    const { count, first, last } = this.#unclear
    if (count === 0) return
    const which = count === 1 ? `of event ${first}` : `of ${count} events from ${first} to ${last}`
    const message = `Whether Cairn had to keep the missing content ${which}: the removal was recorded in an older form, which does not say`
    this.#findings.skip({ kind: "event", sequence: first, id: null }, message)
  }

  #accountUnclearly({ first, last }: SequenceRun): void {
    if (this.#unclear.count === 0) this.#unclear.first = first
    this.#unclear.last = last
    this.#unclear.count += last - first + 1
    this.#accounted += last - first + 1
  }

  #unrecorded({ first, last }: SequenceRun): void {
    const which = first === last ? "The content is" : `The contents of events ${first} to ${last} are`
    this.#fail(first, `${which} missing, but no event of the log records a removal`)
  }

  #fail(sequence: number, message: string): void {
    this.#findings.fail("content_missing", { kind: "event", sequence, id: null }, message)
  }
}
