/** The outcome of a verification: what a program reads and what a person does. */
import { BREAK_MEANING, printable, sayEvent } from "@cairn/core/verification"
import type { ClaimedBlock } from "../anchor/AnchorTransaction.ts"
import type { EventName } from "../event/EventNames.ts"
import type { Failure, FindingLists, Subject } from "./Finding.ts"
import type { BroughtReport, ObligationsReport } from "./Obligations.ts"
import type { Unreadable } from "./Unreadable.ts"

export type { FindingLists } from "./Finding.ts"

/**
 * `intact`: every obligation was discharged by a check that succeeded. `tampered`: a check failed, or
 * something is missing that a writer always writes. `unproven`: nothing failed, but something that the
 * auditor gave matches nothing in the file. `unreadable`: the file, or the rest of it, is no evidence bundle,
 * and nothing failed before.
 */
export type Verdict = "intact" | "tampered" | "unreadable" | "unproven"

/** A key that has to do with a bundle's checkpoint, for a person to compare with one from elsewhere. */
export interface KeyReport {
  /** The verifier key, C2SP signed-note; one that the file states may be any text. */
  readonly key: string
  /** Whether the file states that it is the service's. */
  readonly stated: boolean
  /** Whether the auditor gave it. */
  readonly given: boolean
  /** Whether the checkpoint has its valid signature. */
  readonly signed: boolean
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
  /**
   * When the first and the last of the events were recorded, as their lines say it; null if there are none.
   */
  readonly period: { readonly first: string; readonly last: string } | null
  /** Keys that were given, have signed, or are stated by the file; of the last the first few. */
  readonly keys: ReadonlyArray<KeyReport>
  /** How many keys the file states that are not listed; none of them has signed, or was given. */
  readonly unlisted_keys: number
  /** Accounts that are proven to have signed anchors' transactions; the first few. */
  readonly senders: ReadonlyArray<string>
  /** How many transactions other accounts have signed, which are not listed. */
  readonly unlisted_transactions: number
  /** The obligations, and which were discharged. */
  readonly obligations: ObligationsReport
  /** Blocks that hold the anchors' transactions, each with the hash that it must have on the chain. */
  readonly blocks: ReadonlyArray<ClaimedBlock>
  readonly unreadable: Unreadable | null
}

/** The outcome for two bundles, with the findings of their comparison. */
export interface ComparisonReport extends FindingLists {
  /** The worst of the three; `unproven` if something that was given matches nothing in either bundle. */
  readonly verdict: Verdict
  /** The results for what the auditor gave, over both bundles. */
  readonly brought: ReadonlyArray<BroughtReport>
  readonly older: Report
  readonly newer: Report
}

/** The exit status of a command that found this. */
export type ExitStatus = 0 | 1 | 2 | 3

const STATUS: Readonly<Record<Verdict, ExitStatus>> = { intact: 0, tampered: 1, unreadable: 2, unproven: 3 }

/** The exit status of a command that found this: 0, 1, 2 or 3. */
export const exitCode = ({ verdict }: Pick<Report, "verdict">): ExitStatus => STATUS[verdict]

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

const VERDICTS: Readonly<Record<Verdict, string>> = {
  intact: "INTACT: every required check succeeded",
  tampered: "TAMPERED",
  unreadable: "UNREADABLE",
  unproven: "UNPROVEN: nothing failed, but something that you gave matches nothing in the file"
}

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

/** The report for a person. */
export const reportText = (report: Report): string =>
  [
    VERDICTS[report.verdict],
    ...[...summary(report), ...nothingBrought(report), ...unreadableLines(report.unreadable)].map(shown),
    // A failure casts doubt on everything else, so no range is reported as holding.
    ...(report.verdict === "intact" || report.verdict === "unproven"
      ? broughtLines(report.obligations.brought)
      : []),
    ...findingLines(report)
  ].join("\n")

/** The report on two bundles for a person. */
export const comparisonText = (report: ComparisonReport): string =>
  [
    VERDICTS[report.verdict],
    ...(report.verdict === "intact" || report.verdict === "unproven" ? broughtLines(report.brought) : []),
    "",
    `Earlier bundle: ${reportText(report.older)}`,
    "",
    `Later bundle: ${reportText(report.newer)}`,
    "",
    "The later bundle compared with the earlier one:",
    ...findingLines(report).filter((line) => line !== "")
  ].join("\n")
