/**
 * Whether each content that is missing was removed by leave of the log: an event that says so comes later, so what is missing is
 * remembered until then.
 */
import type { Removal } from "@cairn/core"
import type { Findings } from "./Finding.ts"
import type { Obligations } from "./Obligations.ts"
import { type SequenceRun, SequenceSet } from "./SequenceSet.ts"

/** Follows a log in order. Remembers a bit for each content that is missing and not accounted for yet. */
export class RemovalCheck {
  readonly #missing = new SequenceSet()
  #removed = 0
  #accounted = 0
  readonly #findings: Findings
  readonly #obligations: Obligations

  constructor(findings: Findings, obligations: Obligations) {
    this.#findings = findings
    this.#obligations = obligations
  }

  /** How many contents were missing. */
  get removed(): number {
    return this.#removed
  }

  /** The content of this event is missing. */
  missing(sequence: number): void {
    this.#removed++
    if (!this.#missing.add(sequence)) this.#report({ first: sequence, last: sequence })
  }

  /** The event of sequence `by` records this removal; it accounts for events before it only. */
  recorded(removal: Removal, by: number): void {
    if (removal.type === "retention") {
      this.#accounted += this.#missing.deleteBelow(Math.min(removal.belowSequence, by))
      return
    }
    for (const sequence of removal.sequences) {
      if (sequence < by && this.#missing.delete(sequence)) this.#accounted++
    }
  }

  /** There is no more to come. */
  finish(): void {
    this.#obligations.settle("content_removal", this.#removed, this.#accounted)
    for (const run of this.#missing.runs()) this.#report(run)
  }

  #report({ first, last }: SequenceRun): void {
    const which = first === last ? "The content is" : `The contents of events ${first} to ${last} are`
    const message = `${which} missing, and no event of the log records a removal`
    this.#findings.fail("content_missing", { kind: "event", sequence: first, id: null }, message)
  }
}
