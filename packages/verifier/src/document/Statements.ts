/**
 * What a verification shows, as sentences for a person who knows nothing of hashes: each is proven, not
 * checked or failed, with what that means and what it does not.
 */
import type { BroughtReport, ClaimReport } from "../report/Obligations.ts"
import type { Report } from "../report/Report.ts"
import {
  findingsOf,
  type Outcome,
  STATEMENT_OF_BROUGHT,
  STATEMENT_OF_CLAIM,
  STATEMENT_OF_FAILURE,
  type StatementName
} from "./Outcome.ts"
import { type Known, type StatementTexts, TEXTS } from "./StatementTexts.ts"

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
  readonly failures: number
}

const sum = (claims: ReadonlyArray<ClaimReport>, of: (claim: ClaimReport) => number): number =>
  claims.reduce((total, claim) => total + of(claim), 0)

/** Failures by what they belong to. Those that are not listed belong to nothing: the claims show them. */
const countFailures = (outcome: Outcome, reports: ReadonlyArray<Pick<Report, "failed">>) => {
  const counts = new Map<StatementName, number>()
  const add = (name: StatementName) => counts.set(name, (counts.get(name) ?? 0) + 1)
  const given = outcome.brought.some(({ name }) => name === "anchor_address")
  for (const { code } of reports.flatMap(({ failed }) => failed)) {
    if (code === "not_shown") continue
    const name = STATEMENT_OF_FAILURE[code]
    // Without an account from elsewhere it is the transaction itself that is wrong.
    add(name === "account" && !given ? "anchors" : name)
  }
  return counts
}

const groundsOf = (outcome: Outcome, main: Report): ((name: StatementName) => Grounds) => {
  const lists = findingsOf(outcome).flatMap(({ lists: found }) => (found === outcome.earlier ? [] : [found]))
  const counts = countFailures(outcome, lists)
  const isShort = main.failed.some(({ code }) => code === "not_shown")
  return (name) => {
    const claims = main.obligations.claimed.filter((claim) => STATEMENT_OF_CLAIM[claim.name] === name)
    const left = sum(claims, ({ owed, discharged }) => owed - discharged)
    return {
      name,
      owed: sum(claims, ({ owed }) => owed),
      left,
      brought: outcome.brought.filter((given) => STATEMENT_OF_BROUGHT[given.name] === name),
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
const isRelevant = ({ name, owed, brought, failures }: Grounds, known: Known): boolean => {
  switch (name) {
    case "removals":
      return owed > 0 || failures > 0
    case "history":
      return known.report.counts.legacy > 0 || failures > 0
    case "account":
    case "chain":
      return known.confirmed > 0 || brought.length > 0 || failures > 0
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
export const statementsOf = (outcome: Outcome): ReadonlyArray<Statement> => {
  const { main: report, earlier, brought } = outcome
  const claimed = (name: ClaimReport["name"]) =>
    report.obligations.claimed.find((claim) => claim.name === name)?.owed ?? 0
  const known: Known = {
    report,
    earlier,
    confirmed: claimed("anchor_transaction"),
    hasCheckpoint: claimed("checkpoint") > 0,
    brought,
    isSameFile: outcome.isSameFile
  }
  const grounds = groundsOf(outcome, report)
  return ORDER.flatMap((name) => {
    const found = grounds(name)
    if (!isRelevant(found, known)) return []
    const state = stateOf(found, known)
    const hindered = state === "not_checked" && (found.left > 0 || report.unreadable !== null)
    const texts = TEXTS[name]({ ...known, state, hindered, failures: found.failures, brought: found.brought })
    const isDoubtful = state === "proven" && outcome.verdict === "tampered"
    return [{ name, state, ...(isDoubtful ? beside(texts) : texts) }]
  })
}
