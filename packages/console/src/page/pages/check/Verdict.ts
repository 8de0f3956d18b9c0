/** What a report comes to, for the page around it. */
import type { CheckedEvidence, Vouching } from "@cairn/verifier"
import type { ShownVerdict } from "./CheckTexts.ts"

/** What an intact file is called, by what vouches for it. */
const INTACT = {
  whole: "intact",
  part: "part",
  earlier: "continued",
  nothing: "consistent"
} as const satisfies Readonly<Record<Vouching["kind"], ShownVerdict>>

/** The verdict, in the report's own distinctions. */
export const verdictOf = ({
  report: { verdict },
  vouching
}: {
  readonly report: Pick<CheckedEvidence["report"], "verdict">
  readonly vouching: Vouching
}): ShownVerdict => (verdict === "intact" ? INTACT[vouching.kind] : verdict)
