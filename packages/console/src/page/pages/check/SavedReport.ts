/** The report as a file. */
import { evidenceReportHtml } from "@cairn/verifier"
import type { FinishedCheck } from "./RunCheck.ts"

/** What the file is called: by the day of the check and the file that was checked, the later one of two. */
export const reportName = ({ facts: { at, files } }: Pick<FinishedCheck, "facts">): string =>
  `evidence-report-${at.toISOString().slice(0, 10)}-${files.at(-1)?.sha256.slice(0, 8)}.html`

/** Has the browser save the report. */
export const saveReport = ({ report, facts }: FinishedCheck): void => {
  const html = evidenceReportHtml(report, facts)
  const address = URL.createObjectURL(new Blob([html], { type: "text/html;charset=utf-8" }))
  const link = document.createElement("a")
  link.href = address
  link.download = reportName({ facts })
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
