/** What a report states of the files and of the check itself. */
import { printable } from "@cairn/core/verification"
import type { Report } from "../report/Report.ts"
import type { EvidenceFile } from "./EvidenceFile.ts"
import { inGroups, sayBytes, sayCount, sayMany } from "./Numbers.ts"
import type { Outcome } from "./Outcome.ts"
import { element, type PageElement, type PageNode } from "./PageElement.ts"

/** What a verification does not know of itself. */
export interface ReportFacts {
  /** The file, or the earlier and the later one. */
  readonly files: ReadonlyArray<EvidenceFile>
  /** The program that checked, with its version. */
  readonly verifier: string
  /** The origin of a page that checks in a browser; absent for a program, null if it is not known. */
  readonly page?: string | null
  /** When it checked, by the clock of its machine. */
  readonly at: Date
  /** The chain that anchors are sent to. */
  readonly chainId: number
}

/** Characters of a text from the file. */
const LONGEST = 64

const text = (value: string): string => printable(value, LONGEST)

const pair = (name: string, ...value: ReadonlyArray<PageNode>): ReadonlyArray<PageElement> => [
  element("dt", {}, name),
  element("dd", {}, ...value)
]

const hash = (hex: string): PageElement => element("span", { class: "hash" }, inGroups(hex))

/** Moments in UTC to the second, as they stand in a sentence. */
const moment = (value: Date): string => `${value.toISOString().slice(0, 19).replace("T", " ")} UTC`

const countsOf = ({ counts }: Report): string =>
  [
    sayMany(counts.events, "event"),
    ...(counts.removed === 0 ? [] : [`${sayCount(counts.removed)} of them without content`]),
    ...(counts.legacy === 0 ? [] : [`${sayMany(counts.legacy, "event")} from before the chain`]),
    sayMany(counts.anchors, "anchor")
  ].join(", ")

const rangeOf = (bundle: NonNullable<Report["bundle"]>): string =>
  bundle.to < bundle.from ? "none (an empty range)" : `${sayCount(bundle.from)} to ${sayCount(bundle.to)}`

const fileFacts = (title: string, file: EvidenceFile): ReadonlyArray<PageElement> => [
  ...pair(title, `${text(file.name)}, ${sayBytes(file.bytes)}`),
  ...pair("SHA-256 of the file", hash(file.sha256))
]

const logFacts = ({ bundle, period }: Report): ReadonlyArray<PageElement> =>
  bundle === null
    ? pair("Workspace", "not known: the file does not begin as an evidence file")
    : [
        ...pair("Workspace", text(bundle.workspace_id)),
        ...pair("Log", text(bundle.origin)),
        ...pair("Events", rangeOf(bundle)),
        ...pair(
          "Period",
          period === null ? "–" : `recorded from ${text(period.first)} to ${text(period.last)}`
        )
      ]

/** How the check was made, as far as who reads the report may rely on it. */
export const howChecked = ({ page, verifier }: ReportFacts): string =>
  page === undefined
    ? `A check of a file from an audit log, made with the program ${text(verifier)}, without asking the service.`
    : `A check of a file from an audit log, made in a browser by ${page === null ? "a page of the service" : `the page of ${text(page)}`}, without asking the service; the page is the service's own. The program in appendix D makes the same check without that page.`

/** The facts on the first page. */
export const factList = ({ main, earlier }: Outcome, facts: ReportFacts): PageElement => {
  const { files, verifier, at } = facts
  const [first, second] = files
  const later = second ?? first
  return element(
    "dl",
    { class: "facts" },
    ...(later === undefined ? [] : fileFacts(earlier === null ? "File" : "Later file", later)),
    ...(earlier === null || first === undefined ? [] : fileFacts("Earlier file", first)),
    ...logFacts(main),
    ...pair("In the file", countsOf(main)),
    ...pair("Made", main.bundle === null ? "–" : `${text(main.bundle.created_at)}, as the file says`),
    ...pair("Checked", `${moment(at)}, by the clock of the machine that checked, with ${text(verifier)}`)
  )
}
