/** The outcome of a verification: what a program reads and what a person does. */
import type { ClaimedBlock } from "../anchor/AnchorTransaction.ts"
import type { FindingLists } from "./Finding.ts"
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
