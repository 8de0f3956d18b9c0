/** Where the sentences of a report say something else than its verdict. */
import { outcomeOf } from "../../src/document/Outcome.ts"
import { toHtml } from "../../src/document/PageElement.ts"
import { statementsOf } from "../../src/document/Statements.ts"
import { type ComparisonReport, evidenceReport, type Report } from "../../src/index.ts"

const facts = { files: [], verifier: "cairn-verify 0.0.0", at: new Date(0), chainId: 8453 }

/** What contradicts the verdict; empty for nothing. */
export const contradictions = (report: Report | ComparisonReport): ReadonlyArray<string> => {
  const outcome = outcomeOf(report, [])
  const statements = statementsOf(outcome, 8_453)
  const names = (state: string) => statements.filter((one) => one.state === state).map(({ name }) => name)
  const [proven, open, failed] = [names("proven"), names("not_checked"), names("failed")]
  const isAlone = outcome.earlier === null
  const wrong: Array<string> = []
  const must = (holds: boolean, what: string) => {
    if (!holds) wrong.push(`the report's sentences contradict ${report.verdict}: ${what}`)
  }
  must(failed.length > 0 === (report.verdict === "tampered"), `failed ${failed.join()}`)
  if (report.verdict === "unreadable" && isAlone) must(proven.length === 0, `proven ${proven.join()}`)
  if (report.verdict === "unproven") must(open.length > 0, "all is proven")
  if (report.verdict === "intact") {
    const given = new Set(outcome.brought.map(({ name }) => name))
    const expected = [
      ...(report.verdict === "intact" && outcome.main.counts.events > 0 ? ["events"] : []),
      "whole",
      ...(given.has("trusted_key") ? ["signature"] : []),
      ...(given.has("anchor_address") ? ["account"] : []),
      ...(given.has("block_hash") || given.has("rpc") ? ["chain"] : []),
      ...(given.has("earlier") ? ["earlier"] : []),
      ...(isAlone ? [] : ["earlier_file"])
    ]
    const missing = expected.filter((name) => !proven.some((one) => one === name))
    must(missing.length === 0, `not proven ${missing.join()}`)
  }
  for (const { sentence, means, limits } of statements) {
    must(
      [sentence, means, limits].every((text) => text.length > 0),
      "an empty sentence"
    )
  }
  const html = toHtml(evidenceReport(report, facts))
  const odd = /.{0,80}(?:\bundefined\b|\bNaN\b|\bInfinity\b|\[object).{0,40}/.exec(html)
  must(odd === null, `a value that is none: ${odd?.[0]}`)
  return wrong
}
