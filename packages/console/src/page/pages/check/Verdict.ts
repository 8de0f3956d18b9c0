/** What a report comes to, for the page around it. */
import type { CheckedEvidence } from "@cairn/verifier"
import type { ShownVerdict } from "./CheckTexts.ts"

/** The verdict. An intact file is called so only if something that the person gave vouches for it. */
export const verdictOf = (report: CheckedEvidence["report"]): ShownVerdict => {
  const { verdict } = report
  const brought = "newer" in report ? report.brought : report.obligations.brought
  return verdict === "intact" && !brought.some(({ discharged }) => discharged) ? "consistent" : verdict
}
