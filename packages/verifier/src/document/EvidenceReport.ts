/**
 * The evidence report: what a verification found, on one page for those who decide and in an appendix for
 * those who check; to print, sign and keep. It is English: it is passed on, and has one wording.
 */
import { platformTools } from "../evidence/VerifyEvidence.ts"
import type { ComparisonReport, Report } from "../report/Report.ts"
import { appendix } from "./Appendix.ts"
import { firstFailures } from "./FailureTable.ts"
import { type Outcome, outcomeOf } from "./Outcome.ts"
import { element, escapeHtml, type PageElement, toHtml } from "./PageElement.ts"
import { factList, howChecked, type ReportFacts } from "./ReportFacts.ts"
import { REPORT_STYLE } from "./ReportStyle.ts"
import { signPlace } from "./SignPlace.ts"
import { type Statement, statementsOf } from "./Statements.ts"
import { STATE_WORDS, verdictWords } from "./Words.ts"

const statementRow = ({ state, sentence, means, limits, remedy }: Statement): PageElement =>
  element(
    "tr",
    {},
    element("th", { scope: "row", class: state }, STATE_WORDS[state]),
    element(
      "td",
      {},
      element("p", {}, element("strong", {}, sentence)),
      element(
        "p",
        {},
        element("span", { class: "label" }, "Means: "),
        `${means} `,
        element("span", { class: "label" }, "Does not show: "),
        limits,
        ...(remedy === null ? [] : [element("span", { class: "label" }, " Needs: "), `${remedy}.`])
      )
    )
  )

const statementTable = (statements: ReadonlyArray<Statement>): PageElement =>
  element("table", { class: "statements" }, element("tbody", {}, ...statements.map(statementRow)))

const banner = (outcome: Outcome): PageElement => {
  const { verdict } = outcome
  const { word, sentence } = verdictWords(outcome)
  return element(
    "div",
    { class: `verdict ${verdict}` },
    element("p", { class: "word" }, word),
    element("p", {}, sentence)
  )
}

/** The report as a tree of elements, for a page that shows it; {@link REPORT_STYLE} is its style. */
export const evidenceReport = (report: Report | ComparisonReport, facts: ReportFacts): PageElement => {
  const outcome = outcomeOf(report, facts.files)
  return element(
    "article",
    { class: "report", lang: "en" },
    element(
      "section",
      { class: "first" },
      element("header", {}, element("h1", {}, "Evidence report"), element("p", {}, howChecked(facts))),
      banner(outcome),
      factList(outcome, facts),
      ...firstFailures(outcome),
      element("h2", {}, "What was checked"),
      statementTable(statementsOf(outcome, facts.chainId)),
      signPlace(outcome)
    ),
    appendix(outcome, facts)
  )
}

/** SHA-256 of a text in base64, as a content security policy names it. */
const policyHash = (text: string): string => {
  const bytes = platformTools.sha256.bytes(text)
  return btoa(String.fromCharCode(...bytes))
}

/**
 * The report as a self-contained HTML file, UTF-8. It has no script, loads nothing, and its policy allows
 * neither.
 */
export const evidenceReportHtml = (report: Report | ComparisonReport, facts: ReportFacts): string => {
  const policy = `default-src 'none'; style-src 'sha256-${policyHash(REPORT_STYLE)}'; base-uri 'none'; form-action 'none'`
  const { word } = verdictWords(outcomeOf(report, facts.files))
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>Evidence report: ${escapeHtml(word)}</title>`,
    `<style>${REPORT_STYLE}</style>`,
    "</head>",
    `<body>${toHtml(evidenceReport(report, facts))}</body>`,
    "</html>",
    ""
  ].join("\n")
}
