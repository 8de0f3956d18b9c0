/** What the service's own verification of the log amounts to, in one of a few answers. */
import type { components } from "@cairn/client/session"
import type { Tone } from "@cairn/ui/parts"

/** How far the service has verified the log, and what it found. */
export type VerificationStatus = components["schemas"]["LogVerificationStatus"]

/** The answer to "was anything tampered with?". */
export type Verdict =
  /** Findings stand. */
  | "broken"
  /** Every event was checked, and nothing was found. */
  | "whole"
  /** Nothing was found; the pass has been at the end, and a few events have come since. */
  | "following"
  /** Nothing was found, and much of the log is not checked in the pass in progress. */
  | "partly"
  /** The service has not begun. */
  | "unverified"
  /** There is nothing to verify. */
  | "empty"

/** How each answer looks. */
export const VERDICT_TONES: Readonly<Record<Verdict, Tone>> = {
  broken: "bad",
  whole: "good",
  following: "good",
  partly: "busy",
  unverified: "warning",
  empty: "calm"
}

/** Share of the log that may have come since the end was reached. */
const FEW = 0.1

/** The answer. An empty log with a finding is one that was cut off. */
export const verdictOf = ({
  valid,
  complete,
  sequence,
  total,
  began_at,
  reached_end_at
}: VerificationStatus): Verdict => {
  if (!valid) return "broken"
  if (began_at === null) return total === 0 ? "empty" : "unverified"
  if (total === 0) return "empty"
  if (complete) return "whole"
  // Both times have the same form.
  const wasAtEnd = reached_end_at !== null && reached_end_at >= began_at
  return wasAtEnd && total - sequence <= total * FEW ? "following" : "partly"
}
