/** What the sentences of a report's statements are made of. */
import { printable } from "@cairn/core/verification"
import type { BroughtReport } from "../report/Obligations.ts"
import type { Report } from "../report/Report.ts"
import { sayCount } from "./Numbers.ts"
import type { Vouching } from "./Vouching.ts"

/** A statement in words. */
export interface StatementTexts {
  readonly sentence: string
  readonly means: string
  readonly limits: string
  /** How it could be shown; null where it is, or cannot be. */
  readonly remedy: string | null
}

/** What the sentences are made of. */
export interface Known {
  readonly report: Report
  readonly earlier: Report | null
  /** Anchors that were sent to a blockchain. */
  readonly confirmed: number
  readonly hasCheckpoint: boolean
  readonly brought: ReadonlyArray<BroughtReport>
  /** Whether the earlier file is the later one once more. */
  readonly isSameFile: boolean
  /** Whether the log is shown to be a continuation of the earlier file. */
  readonly continues: boolean
  readonly vouching: Vouching
  /** The chain that anchors are sent to. */
  readonly chainId: number
}

/** The same for one statement. */
export interface Case extends Known {
  readonly state: "proven" | "not_checked" | "failed"
  /** Whether something else that failed, or could not be read, kept it from being checked. */
  readonly hindered: boolean
  readonly failures: number
  /** Whether what was given fits the earlier file only. */
  readonly isElsewhere: boolean
}

/** Writes a statement. */
export type Write = (known: Case) => StatementTexts

/** How far the furthest of what was given holds. */
export const upTo = (brought: ReadonlyArray<BroughtReport>): string =>
  sayCount(Math.max(...brought.map(({ up_to: last }) => last ?? 0)))

/** Why what was given matches nothing. */
export const reasons = (brought: ReadonlyArray<BroughtReport>): string =>
  [...new Set(brought.flatMap(({ message }) => (message === null ? [] : [printable(message)])))].join(". ")

/** What fits the earlier file only. */
export const elsewhere = (subject: string): StatementTexts => ({
  sentence: `${subject} fits the earlier file only, and not this one.`,
  means: "Of this file's own events it shows nothing.",
  limits: "That this file was forged.",
  remedy: null
})

/** The chain's name, as far as this program knows it. */
export const sayChain = (chainId: number): string =>
  ({ 8453: "the blockchain Base (chain 8453)", 84532: "the test network Base Sepolia (chain 84532)" })[
    chainId
  ] ?? `chain ${chainId}, which this program does not know`

/** How many checks failed, as a sentence. */
export const failedTimes = (failures: number): string =>
  failures === 1 ? "One check of it failed." : `${sayCount(failures)} checks of it failed.`

const HINDERED: StatementTexts = {
  sentence: "",
  means:
    "Nothing: another check failed, or the file could not be read to its end, so that this one could not be made.",
  limits: "Whether it is right or wrong.",
  remedy: null
}

/** What could not be checked. */
export const hindered = (subject: string): StatementTexts => ({
  ...HINDERED,
  sentence: `${subject} could not be checked.`
})

/** What a failure means, and what it does not show. */
export const FALSE_FILE = "That this file is not what the service recorded, or that the record was changed."
export const NOT_WHO = "Who changed it, when, or why."
