/** The outcome of a verification as the command prints it. */
import { BREAK_MEANING, printable, sayEvent } from "@cairn/core/verification"
import type { EventName } from "../event/EventNames.ts"
import type { Failure, FindingLists, Subject } from "../report/Finding.ts"
import type { BroughtReport } from "../report/Obligations.ts"
import type { ComparisonReport, Report, Verdict } from "../report/Report.ts"
import type { Unreadable } from "../report/Unreadable.ts"
import { outcomeOf } from "./Outcome.ts"
import { verdictWords } from "./Words.ts"

/** What a finding concerns, in words. */
export const subjectText = (subject: Subject): string => {
  switch (subject.kind) {
    case "bundle":
      return "bundle"
    case "event":
      return `event ${subject.sequence}${subject.id === null ? "" : ` (${printable(subject.id)})`}`
    case "anchor":
      return `anchor ${printable(subject.id)}`
    case "checkpoint":
      return subject.size === null ? "checkpoint" : `checkpoint of ${subject.size}`
  }
}

/** Longest line of a report, in characters: a hostile file may contain names and ids of megabytes. */
const LONGEST_LINE = 2_000

/** Text from a file, without terminal control sequences. */
const shown = (text: string): string => printable(text, LONGEST_LINE)

/** An event as a person recognises it; of a changed event, as it is now. */
const nameText = ({ actor, action, occurred_at, created_at }: EventName): string =>
  actor === null || action === null || occurred_at === null
    ? `recorded at ${created_at}, without a content that could be read`
    : `${sayEvent({ actor: { id: actor }, action, occurred_at })}, recorded at ${created_at}`

const failureLines = (failure: Failure): ReadonlyArray<string> => {
  const { code, type, subject, message, expected, actual, event } = failure
  return [
    `  ✗ ${subjectText(subject)}: ${message} [${type === null ? "" : `${type}, `}${code}]`,
    ...(event === null ? [] : [`      ${nameText(event)}`]),
    ...(expected === null ? [] : [`      expected ${expected}`]),
    ...(actual === null ? [] : [`      actual   ${actual}`])
  ]
}

/** What a verdict says, after the word that the evidence report has for it. */
const VERDICTS: Readonly<Record<Verdict, string>> = {
  intact: ": every required check succeeded",
  tampered: "",
  unreadable: "",
  unproven: ": nothing failed, but something that you gave matches nothing in the file"
}

/** The files of a report, as far as they tell whether two are one. */
type Files = ReadonlyArray<{ readonly sha256: string }>

const verdictLine = (report: Report | ComparisonReport, files: Files): string =>
  `${verdictWords(outcomeOf(report, files)).word}${VERDICTS[report.verdict]}`

const BROUGHT: Readonly<Record<BroughtReport["name"], string>> = {
  trusted_key: "key",
  anchor_address: "anchor address",
  block_hash: "block",
  rpc: "node",
  earlier: "earlier log"
}

/** How far what was given holds, and what of it matched nothing. */
const broughtLines = (brought: ReadonlyArray<BroughtReport>): ReadonlyArray<string> => {
  const held = brought.filter(({ discharged }) => discharged)
  const open = brought.filter(({ discharged }) => !discharged)
  return [
    ...(held.length === 0 ? [] : ["", "Checked against what you gave:"]),
    ...held.map(({ name, what, up_to: upTo }) => `  ✓ up to event ${upTo}: ${BROUGHT[name]} ${what}`),
    ...(open.length === 0 ? [] : ["", "Matches nothing in the file:"]),
    ...open.map(({ name, what, message }) => `  ! ${BROUGHT[name]} ${what}: ${message}`)
  ].map(shown)
}

/** What a word in brackets means, for those that stand in the findings. */
const meaningLines = ({ failed }: FindingLists): ReadonlyArray<string> => {
  const types = new Set(failed.flatMap(({ type }) => (type === null ? [] : [type])))
  return [...types].map((type) => `  ${type}: ${BREAK_MEANING[type]}`)
}

const nothingBrought = ({ verdict, obligations }: Report): ReadonlyArray<string> =>
  verdict === "intact" && obligations.brought.length === 0
    ? ["You gave nothing to check against: anyone with the database could have made this file"]
    : []

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
const findingLines = (lists: FindingLists): ReadonlyArray<string> => {
  const { failed, failures, proven, not_checked: notChecked } = lists
  const more = (unlisted: number) => (unlisted === 0 ? [] : [`  … and ${unlisted} more`])
  return [
    ...(failures === 0 ? [] : ["", `Failed (${failures}):`, ...failed.flatMap(failureLines)]),
    ...more(failures - failed.length),
    ...meaningLines(lists),
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
  const where = unreadable.line === null ? "" : ` from line ${unreadable.line} on`
  return [`Cannot be read${where}: ${unreadable.message}`]
}

/** The report for a person. Its first line begins with the words of the evidence report. */
export const reportText = (report: Report): string =>
  [
    verdictLine(report, []),
    ...[...summary(report), ...nothingBrought(report), ...unreadableLines(report.unreadable)].map(shown),
    // A failure casts doubt on everything else, so no range is reported as holding.
    ...(report.verdict === "intact" || report.verdict === "unproven"
      ? broughtLines(report.obligations.brought)
      : []),
    ...findingLines(report)
  ].join("\n")

/** The report on two bundles for a person; `files` tell whether they are the same one. */
export const comparisonText = (report: ComparisonReport, files: Files = []): string =>
  [
    verdictLine(report, files),
    ...(report.verdict === "intact" || report.verdict === "unproven" ? broughtLines(report.brought) : []),
    "",
    `Earlier bundle: ${reportText(report.older)}`,
    "",
    `Later bundle: ${reportText(report.newer)}`,
    "",
    "The later bundle compared with the earlier one:",
    ...findingLines(report).filter((line) => line !== "")
  ].join("\n")
