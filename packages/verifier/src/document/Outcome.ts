/** What a report is about: one bundle, or a later one compared with an earlier one. */
import type { FailureCode, FindingLists } from "../report/Finding.ts"
import type { BroughtName, BroughtReport, ClaimName } from "../report/Obligations.ts"
import type { ComparisonReport, Report, Verdict } from "../report/Report.ts"
import type { EvidenceFile } from "./EvidenceFile.ts"

/** What a verification found, of one bundle or of two. */
export interface Outcome {
  readonly verdict: Verdict
  /** The bundle, or the later one. */
  readonly main: Report
  readonly earlier: Report | null
  /** The findings of the comparison. */
  readonly comparison: FindingLists | null
  readonly brought: ReadonlyArray<BroughtReport>
  /** Whether the earlier file is the later one once more: comparing the two shows nothing. */
  readonly isSameFile: boolean
}

/** The outcome of a verification of files. */
export const outcomeOf = (
  report: Report | ComparisonReport,
  files: ReadonlyArray<Pick<EvidenceFile, "sha256">>
): Outcome =>
  "newer" in report
    ? {
        verdict: report.verdict,
        main: report.newer,
        earlier: report.older,
        comparison: report,
        brought: report.brought,
        isSameFile: files.length > 1 && files[0]?.sha256 === files[1]?.sha256
      }
    : {
        verdict: report.verdict,
        main: report,
        earlier: null,
        comparison: null,
        brought: report.obligations.brought,
        isSameFile: false
      }

/** All lists of findings, with what each is about; the bundle's first. */
export const findingsOf = ({
  main,
  earlier,
  comparison
}: Outcome): ReadonlyArray<{ readonly of: string; readonly lists: FindingLists }> => [
  { of: earlier === null ? "The file" : "The later file", lists: main },
  ...(earlier === null ? [] : [{ of: "The earlier file", lists: earlier }]),
  ...(comparison === null ? [] : [{ of: "The two files compared", lists: comparison }])
]

/** How many things failed. */
export const failuresOf = (outcome: Outcome): number =>
  findingsOf(outcome).reduce((sum, { lists }) => sum + lists.failures, 0)

/** What a report says something about. */
export type StatementName =
  | "events"
  | "whole"
  | "removals"
  | "history"
  | "signature"
  | "anchors"
  | "account"
  | "chain"
  | "earlier"
  | "earlier_file"

/** What each required check belongs to. */
export const STATEMENT_OF_CLAIM: Readonly<Record<ClaimName, StatementName>> = {
  range: "whole",
  prefix: "whole",
  end: "whole",
  event_link: "events",
  event_time: "events",
  event_header: "events",
  event_content: "events",
  content_removal: "removals",
  removal: "removals",
  legacy: "history",
  anchor_fields: "anchors",
  anchor_place: "anchors",
  anchor_link: "anchors",
  anchor_ends: "anchors",
  anchor_period: "anchors",
  anchor_root: "anchors",
  anchor_transaction: "anchors",
  anchor_block: "anchors",
  checkpoint: "signature",
  checkpoint_signature: "signature"
}

/** What each thing that was given belongs to. */
export const STATEMENT_OF_BROUGHT: Readonly<Record<BroughtName, StatementName>> = {
  trusted_key: "signature",
  anchor_address: "account",
  block_hash: "chain",
  rpc: "chain",
  earlier: "earlier"
}

/** What each failure belongs to; `not_shown` belongs to that of the check that is left. */
export const STATEMENT_OF_FAILURE: Readonly<Record<Exclude<FailureCode, "not_shown">, StatementName>> = {
  content_changed: "events",
  content_not_canonical: "events",
  header_changed: "events",
  link_broken: "events",
  event_missing: "events",
  event_misplaced: "events",
  time_went_back: "events",
  event_differs: "events",
  event_not_in_log: "events",
  event_not_in_anchor: "events",
  content_missing: "removals",
  removal_not_in_log: "removals",
  legacy_changed: "history",
  legacy_missing: "history",
  range_incomplete: "whole",
  counts_differ: "whole",
  cut_off: "whole",
  prefix_missing: "whole",
  prefix_malformed: "whole",
  checkpoint_missing: "signature",
  checkpoint_malformed: "signature",
  checkpoint_of_another_log: "signature",
  checkpoint_not_signed: "signature",
  checkpoint_root_differs: "signature",
  checkpoint_behind: "signature",
  checkpoint_inconsistent: "earlier",
  anchor_root_differs: "anchors",
  anchor_events_differ: "anchors",
  anchor_link_broken: "anchors",
  anchor_missing: "anchors",
  anchor_misplaced: "anchors",
  anchor_period_differs: "anchors",
  anchor_malformed: "anchors",
  transaction_differs: "anchors",
  transaction_malformed: "anchors",
  transaction_chain: "anchors",
  transaction_payload: "anchors",
  transaction_sender: "account",
  block_proof: "anchors",
  block_differs: "anchors",
  block_hash_differs: "chain",
  changed_since: "earlier",
  dropped_since: "earlier",
  another_log: "earlier"
}

/** What can fail, but for `not_shown`. */
export const FAILURE_CODES: ReadonlyArray<Exclude<FailureCode, "not_shown">> = Object.keys(
  STATEMENT_OF_FAILURE
) as ReadonlyArray<Exclude<FailureCode, "not_shown">>
