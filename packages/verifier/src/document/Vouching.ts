/**
 * How far what an auditor gave vouches for the events of a file: only what identifies who signed or sent
 * counts, and only as far as it reaches.
 */
import type { BroughtName, BroughtReport } from "../report/Obligations.ts"
import type { CheckedEvidence } from "./CheckEvidence.ts"
import { type Outcome, outcomeOf } from "./Outcome.ts"

/** What vouches for an intact file, and up to which event. */
export interface Vouching {
  /**
   * `whole`: a key, or the account with a block of the chain, vouches for every event; `part`: for the first
   * of them. `earlier`: an earlier file alone does. `nothing`: nothing that was given does.
   */
  readonly kind: "whole" | "part" | "earlier" | "nothing"
  readonly upTo: number
  /** The last event of the file. */
  readonly last: number
}

/** The furthest that things of these names reach; null if none of them holds. */
const reach = (brought: ReadonlyArray<BroughtReport>, ...names: ReadonlyArray<BroughtName>): number | null =>
  brought.reduce<number | null>(
    (furthest, { name, up_to: end }) =>
      names.includes(name) && end !== null ? Math.max(furthest ?? 0, end) : furthest,
    null
  )

/** What vouches for a file, or for the later one of two. */
export const vouchingOf = ({
  main,
  brought,
  isSameFile
}: Pick<Outcome, "main" | "brought" | "isSameFile">): Vouching => {
  const [first, last] = [main.bundle?.from ?? 1, main.bundle?.to ?? 0]
  const own = main.obligations.brought
  const key = reach(own, "trusted_key")
  const [account, block] = [reach(own, "anchor_address"), reach(own, "block_hash", "rpc")]
  // A block without the account may hold the anchors of anybody, and an account's anchors may be on no chain.
  const chain = account === null || block === null ? null : Math.min(account, block)
  const upTo = key === null && chain === null ? null : Math.max(key ?? 0, chain ?? 0)
  if (upTo !== null && (upTo >= last || upTo >= first)) {
    return { kind: upTo >= last ? "whole" : "part", upTo: Math.min(upTo, last), last }
  }
  const earlier = isSameFile ? null : reach(brought, "earlier")
  if (earlier !== null) return { kind: "earlier", upTo: Math.min(earlier, last), last }
  return { kind: "nothing", upTo: 0, last }
}

/** The same for what a verification found; of use where the verdict is `intact`. */
export const vouchingFor = ({ report, files }: CheckedEvidence): Vouching =>
  vouchingOf(outcomeOf(report, files))
