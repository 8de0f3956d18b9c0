/**
 * What precedes a range: whether the prefix is there when it must be, and has the form that its sizes
 * require.
 */
import type { EvidenceHeader, EvidencePrefix } from "@cairn/core/evidence"
import { emptyFrontier, frontierFrom, type MerkleFrontier } from "@cairn/core/merkle"
import { Result } from "effect"
import type { Edge } from "../anchor/AnchorCheck.ts"
import { BUNDLE, type Findings } from "../report/Finding.ts"
import type { Claim } from "../report/Obligations.ts"

/** The edge of a range as a verifier begins with it. */
export interface RangeEdge extends Edge {
  /** The log up to two events before the range; null where no valid prefix states it. */
  readonly log: MerkleFrontier | null
}

const UNKNOWN: RangeEdge = { log: null, period: null, claim: null }

/**
 * Reads the edge from a prefix, or from its absence. `claim` is discharged if nothing precedes the range;
 * otherwise it is passed on, and discharged once the period is compared with the first anchor. The roots that
 * follow from the prefix show whether it is right.
 */
export const rangeEdge = (
  findings: Findings,
  { from, to }: Pick<EvidenceHeader, "from" | "to">,
  prefix: EvidencePrefix | undefined,
  claim: Claim
): RangeEdge => {
  if (from === 1 || to < from) {
    if (prefix === undefined) claim.discharge()
    else findings.fail("prefix_malformed", BUNDLE, "There is a prefix, but the range has nothing before it")
    return from === 1 ? { log: emptyFrontier, period: null, claim: null } : UNKNOWN
  }
  if (prefix === undefined) {
    const message = `The prefix is missing, which describes the log before event ${from}`
    findings.fail("prefix_missing", BUNDLE, message)
    return UNKNOWN
  }
  const { period } = prefix
  const log = frontierFrom(from - 2, prefix.log)
  const open = period === null ? null : frontierFrom(from - 1 - period.first_sequence, period.hashes)
  if (Result.isFailure(log) || (open !== null && Result.isFailure(open))) {
    findings.fail("prefix_malformed", BUNDLE, "Its frontiers fit no log of this length")
    return UNKNOWN
  }
  const first = period?.first_sequence
  return {
    log: log.success,
    period: first === undefined || open === null ? null : { first, frontier: open.success },
    claim
  }
}
