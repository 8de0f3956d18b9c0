/** What a report comes to, for the page around it. */
import type { CheckedEvidence } from "@cairn/verifier"
import type { ShownVerdict } from "./CheckTexts.ts"

/**
 * The verdict, in the report's own distinctions: an intact file is called so only if something that the
 * person gave vouches for it, be it an earlier file alone.
 */
export const verdictOf = ({
  report,
  facts: { files }
}: {
  readonly report: CheckedEvidence["report"]
  readonly facts: Pick<CheckedEvidence, "files">
}): ShownVerdict => {
  const { verdict } = report
  if (verdict !== "intact") return verdict
  const brought = "newer" in report ? report.brought : report.obligations.brought
  const held = brought.filter(({ discharged }) => discharged)
  if (held.some(({ name }) => name !== "earlier")) return "intact"
  const isSameFile = files[0]?.sha256 === files[1]?.sha256
  return held.length > 0 && !isSameFile ? "continued" : "consistent"
}
