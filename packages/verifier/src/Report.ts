/** The outcome of a verification: what a program reads and what a person does. */
import type { ClaimedBlock } from "./AnchorTransaction.ts"
import type { Failure, FindingLists, Subject } from "./Finding.ts"

export type { FindingLists } from "./Finding.ts"

/**
 * `intact`: nothing that was checked fails. `tampered`: something does. `unreadable`: the file, or the rest of it, is no evidence
 * bundle, and nothing failed before.
 */
export type Verdict = "intact" | "tampered" | "unreadable"

/** Why a file could not be read to its end. */
export interface Unreadable {
  /** The line it stopped at, from 1; null where it was not the line. */
  readonly line: number | null
  readonly message: string
}

/** The outcome for one bundle. */
export interface Report extends FindingLists {
  readonly verdict: Verdict
  /** Null if the file does not begin as a bundle. */
  readonly bundle: {
    readonly workspace_id: string
    readonly origin: string
    readonly from: number
    readonly to: number
    readonly created_at: string
  } | null
  readonly counts: {
    readonly events: number
    /** Of the events, those whose content was removed. */
    readonly removed: number
    readonly legacy: number
    readonly anchors: number
  }
  /** Blocks that hold the anchors' transactions, each with the hash that it must have on the chain. */
  readonly blocks: ReadonlyArray<ClaimedBlock>
  readonly unreadable: Unreadable | null
}

/** The outcome for two bundles, with what was found by holding one against the other. */
export interface ComparisonReport extends FindingLists {
  /** The worst of the three. */
  readonly verdict: Verdict
  readonly older: Report
  readonly newer: Report
}

/** The exit status of a command that found this: 0, 1 or 2. */
export const exitCode = ({ verdict }: Pick<Report, "verdict">): 0 | 1 | 2 =>
  verdict === "intact" ? 0 : verdict === "tampered" ? 1 : 2

const subjectText = (subject: Subject): string => {
  switch (subject.kind) {
    case "bundle":
      return "bundle"
    case "event":
      return `event ${subject.sequence}${subject.id === null ? "" : ` (${subject.id})`}`
    case "anchor":
      return `anchor ${subject.id}`
    case "checkpoint":
      return subject.size === null ? "checkpoint" : `checkpoint of ${subject.size}`
  }
}

/** Text from a file is shown without what a terminal would obey. */
const shown = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd")

const failureLines = ({ code, subject, message, expected, actual }: Failure): ReadonlyArray<string> => [
  `  ✗ ${subjectText(subject)}: ${message} [${code}]`,
  ...(expected === null ? [] : [`      expected ${expected}`]),
  ...(actual === null ? [] : [`      actual   ${actual}`])
]

const VERDICTS: Readonly<Record<Verdict, string>> = {
  intact: "INTACT: nothing that could be checked fails",
  tampered: "TAMPERED",
  unreadable: "UNREADABLE"
}

const summary = ({ bundle, counts }: Report): ReadonlyArray<string> => {
  if (bundle === null) return []
  const removed = counts.removed === 0 ? "" : `, ${counts.removed} of them without content`
  const legacy = counts.legacy === 0 ? "" : `, ${counts.legacy} events from before the chain`
  return [
    `${bundle.workspace_id}, log ${bundle.origin}, events ${bundle.from} to ${bundle.to}, made ${bundle.created_at}`,
    `${counts.events} events${removed}${legacy}, ${counts.anchors} anchors`
  ]
}

/** Findings for a person. */
export const findingLines = (lists: FindingLists): ReadonlyArray<string> => {
  const { failed, failures, proven, not_checked: notChecked } = lists
  const more = (unlisted: number) => (unlisted === 0 ? [] : [`  … and ${unlisted} more`])
  return [
    ...(failures === 0 ? [] : ["", `Failed (${failures}):`, ...failed.flatMap(failureLines)]),
    ...more(failures - failed.length),
    ...(proven.length === 0 ? [] : ["", "Proven:"]),
    ...proven.map(({ subject, message }) => `  ✓ ${subjectText(subject)}: ${message}`),
    ...more(lists.unlisted_proven),
    ...(notChecked.length === 0 ? [] : ["", "Not checked:"]),
    ...notChecked.map(
      ({ subject, message, remedy }) =>
        `  ? ${subjectText(subject)}: ${message}${remedy === null ? "" : ` (${remedy})`}`
    ),
    ...more(lists.unlisted_not_checked)
  ].map(shown)
}

const unreadableLines = (unreadable: Unreadable | null): ReadonlyArray<string> => {
  if (unreadable === null) return []
  const where = unreadable.line === null ? "" : ` beyond line ${unreadable.line - 1}`
  return [`Cannot be read${where}: ${unreadable.message}`]
}

/** The report for a person. */
export const reportText = (report: Report): string =>
  [
    VERDICTS[report.verdict],
    ...[...summary(report), ...unreadableLines(report.unreadable)].map(shown),
    ...findingLines(report)
  ].join("\n")

/** The report on two bundles for a person. */
export const comparisonText = (report: ComparisonReport): string =>
  [
    VERDICTS[report.verdict],
    "",
    `Earlier bundle: ${reportText(report.older)}`,
    "",
    `Later bundle: ${reportText(report.newer)}`,
    "",
    "The later bundle held against the earlier one:",
    ...findingLines(report).filter((line) => line !== "")
  ].join("\n")
