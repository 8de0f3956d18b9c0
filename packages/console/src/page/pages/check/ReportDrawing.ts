/** The report as elements of the page: the same ones, with the same style, as in the file that is saved. */
import { evidenceReport, REPORT_STYLE, toNode } from "@cairn/verifier"
import type { FinishedCheck } from "./RunCheck.ts"

/**
 * Draws the report into an element, in a tree of its own: the styles of the page do not reach it, nor its
 * styles the page. Nothing is parsed as HTML.
 */
export const drawReport = (host: HTMLElement, { report, facts }: FinishedCheck): void => {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" })
  const style = new CSSStyleSheet()
  style.replaceSync(REPORT_STYLE)
  root.adoptedStyleSheets = [style]
  root.replaceChildren(toNode<HTMLElement>(document, evidenceReport(report, facts)))
}
