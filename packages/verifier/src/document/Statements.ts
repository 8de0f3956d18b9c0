/**
 * What a verification shows, as sentences for a person who knows nothing of hashes: each is proven, not
 * checked or failed, with what that means and what it does not.
 */

import type { FindingLists } from "../report/Finding.ts"
import type { BroughtReport, ClaimReport } from "../report/Obligations.ts"
import type { Report } from "../report/Report.ts"
import {
  FAILURE_CODES,
  findingsOf,
  type Outcome,
  STATEMENT_OF_BROUGHT,
  STATEMENT_OF_CLAIM,
  STATEMENT_OF_FAILURE,
  type StatementName
} from "./Outcome.ts"
import type { Known, StatementTexts } from "./StatementParts.ts"
import { TEXTS } from "./StatementTexts.ts"
import { vouchingOf } from "./Vouching.ts"

/** `proven`: a check succeeded for all of it. `failed`: a check failed. `not_checked`: neither. */
export type StatementState = "proven" | "not_checked" | "failed"

/** One thing that a report says. */
export interface Statement extends StatementTexts {
  readonly name: StatementName
  readonly state: StatementState
}

/** The claims, things given and failures that a statement rests on. */
interface Grounds {
  readonly name: StatementName
  readonly owed: number
  readonly left: number
  readonly brought: ReadonlyArray<BroughtReport>
  /** Whether what was given fits the earlier file only. */
  readonly isElsewhere: boolean
  readonly failures: number
}

interface Brought {
  readonly own: ReadonlyArray<BroughtReport>
  readonly isElsewhere: boolean
}

const sum = (claims: ReadonlyArray<ClaimReport>, of: (claim: ClaimReport) => number): number =>
  claims.reduce((total, claim) => total + of(claim), 0)

/** Failures by what they belong to. */
const countFailures = (outcome: Outcome, lists: ReadonlyArray<FindingLists>) => {
  const counts = new Map<StatementName, number>()
  const given = outcome.brought.some(({ name }) => name === "anchor_address")
  for (const code of FAILURE_CODES) {
    const failures = lists.reduce((total, { failures_by_code: byCode }) => total + (byCode[code] ?? 0), 0)
    const belongs = STATEMENT_OF_FAILURE[code]
    // Without an account from elsewhere it is the transaction itself that is wrong.
    const name = belongs === "account" && !given ? "anchors" : belongs
    if (failures > 0) counts.set(name, (counts.get(name) ?? 0) + failures)
  }
  return counts
}

/**
 * What was given, as far as it is about the file itself: a key that has signed the earlier file only, as
 * after a change of keys, is nothing to the later one if another has signed that.
 */
const ownBrought = ({ main, earlier, brought }: Outcome, name: StatementName): Brought => {
  if (name === "earlier") return { own: brought.filter((one) => one.name === "earlier"), isElsewhere: false }
  const of = (reports: ReadonlyArray<BroughtReport>) =>
    reports.filter((given) => STATEMENT_OF_BROUGHT[given.name] === name)
  const held = new Set(
    of(earlier?.obligations.brought ?? [])
      .filter(({ discharged }) => discharged)
      .map(({ what }) => what)
  )
  const all = of(main.obligations.brought)
  const own = all.filter(({ discharged, what }) => discharged || !held.has(what))
  return { own, isElsewhere: own.length === 0 && all.length > 0 }
}

const groundsOf = (outcome: Outcome, main: Report): ((name: StatementName) => Grounds) => {
  const lists = findingsOf(outcome).flatMap(({ lists: found }) => (found === outcome.earlier ? [] : [found]))
  const counts = countFailures(outcome, lists)
  const isShort = (main.failures_by_code.not_shown ?? 0) > 0
  return (name) => {
    const claims = main.obligations.claimed.filter((claim) => STATEMENT_OF_CLAIM[claim.name] === name)
    const left = sum(claims, ({ owed, discharged }) => owed - discharged)
    const { own, isElsewhere } = ownBrought(outcome, name)
    return {
      name,
      owed: sum(claims, ({ owed }) => owed),
      left,
      brought: own,
      isElsewhere,
      failures: (counts.get(name) ?? 0) + (isShort ? left : 0)
    }
  }
}

/** What can be shown at all, if no check failed: whether there is anything to show it of. */
const isShown = ({ name, owed, brought }: Grounds, known: Known): boolean => {
  const held = brought.length > 0 && brought.every(({ discharged }) => discharged)
  switch (name) {
    case "events":
      return known.report.counts.events > 0
    case "anchors":
      return known.confirmed > 0
    case "earlier":
      return held && !known.isSameFile
    case "signature":
    case "account":
    case "chain":
      return held
    case "earlier_file":
      // What of it matches nothing that was given is a statement of its own.
      return known.earlier?.verdict === "intact" || known.earlier?.verdict === "unproven"
    default:
      return owed > 0
  }
}

/** Whether a report says anything about it. */
const isRelevant = ({ name, owed, brought, isElsewhere, failures }: Grounds, known: Known): boolean => {
  switch (name) {
    case "removals":
      return owed > 0 || failures > 0
    case "history":
      return known.report.counts.legacy > 0 || failures > 0
    case "account":
    case "chain":
      return known.confirmed > 0 || brought.length > 0 || isElsewhere || failures > 0
    case "earlier":
      return brought.length > 0 || failures > 0
    case "earlier_file":
      return known.earlier !== null
    default:
      return true
  }
}

const stateOf = (grounds: Grounds, known: Known): StatementState => {
  const { name, left, failures } = grounds
  const hasFailed = name === "earlier_file" ? known.earlier?.verdict === "tampered" : failures > 0
  if (hasFailed) return "failed"
  const isOpen = left > 0 || (known.report.unreadable !== null && name !== "earlier_file")
  return !isOpen && isShown(grounds, known) ? "proven" : "not_checked"
}

const ORDER: ReadonlyArray<StatementName> = [
  "events",
  "whole",
  "removals",
  "history",
  "signature",
  "anchors",
  "account",
  "chain",
  "earlier",
  "earlier_file"
]

/** What a check that succeeded is worth where another one failed. */
const beside = (texts: StatementTexts): StatementTexts => ({
  ...texts,
  means: "True of the hashes that the file states.",
  limits: "That the parts that failed can be relied on."
})

/**
 * What a verification shows. Of a bundle that was tampered with at least one has failed, of one that is
 * intact none, and of one that cannot be read none is proven.
 */
export const statementsOf = (outcome: Outcome, chainId: number): ReadonlyArray<Statement> => {
  const { main: report, earlier, brought } = outcome
  const claimed = (name: ClaimReport["name"]) =>
    report.obligations.claimed.find((claim) => claim.name === name)?.owed ?? 0
  const known: Known = {
    report,
    earlier,
    confirmed: claimed("anchor_transaction"),
    hasCheckpoint: claimed("checkpoint") > 0,
    brought,
    isSameFile: outcome.isSameFile,
    vouching: vouchingOf(outcome),
    continues:
      !outcome.isSameFile && brought.some(({ name, discharged }) => name === "earlier" && discharged),
    chainId
  }
  const grounds = groundsOf(outcome, report)
  return ORDER.flatMap((name) => {
    const found = grounds(name)
    if (!isRelevant(found, known)) return []
    const state = stateOf(found, known)
    const hindered = state === "not_checked" && (found.left > 0 || report.unreadable !== null)
    const { failures, brought: own, isElsewhere } = found
    const texts = TEXTS[name]({ ...known, state, hindered, failures, brought: own, isElsewhere })
    const isDoubtful = state === "proven" && outcome.verdict === "tampered"
    return [{ name, state, ...(isDoubtful ? beside(texts) : texts) }]
  })
}
