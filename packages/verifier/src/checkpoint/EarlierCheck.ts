/** Whether a log continues one that the auditor saw before. */

import type { EvidenceHeader } from "@cairn/core/evidence"
import { toHex } from "@cairn/core/hashing"
import { sameHash, type TreeHash } from "@cairn/core/merkle"
import type { Checkpoint } from "@cairn/core/note"
import type { LegacyCheck } from "../event/LegacyCheck.ts"
import { BUNDLE, type Findings, type Subject } from "../report/Finding.ts"
import type { Brought, Obligations } from "../report/Obligations.ts"
import type { GrowingTree } from "./GrowingTree.ts"

/**
 * A log's tree at an earlier time, from a checkpoint whose signature the auditor verified or from a bundle
 * that he kept.
 */
export interface EarlierTree extends Pick<Checkpoint, "origin" | "size" | "root"> {
  /** Its source, for the report: `the checkpoint that you kept`. */
  readonly source: string
  /**
   * Whether the comparison with the log is required; true unless set. Otherwise it is made where possible.
   */
  readonly owed?: boolean
}

/** History from before the chain, as it was seen earlier. */
export interface EarlierLegacy {
  /** How many events. */
  readonly count: number
  readonly root: TreeHash
}

/** An earlier tree, and its obligation. */
export interface OwedTree extends EarlierTree {
  /** Null if there is none. */
  readonly obligation: Brought | null
}

/** What a bundle shows of the log now. */
interface LogNow {
  readonly header: EvidenceHeader
  /** Null where it cannot be made; else it has watched the sizes of the earlier trees. */
  readonly tree: GrowingTree | null
  readonly checkpoint: Checkpoint | undefined
  /** Whether there are events from before the chain, and not the one that commits to them. */
  readonly isUncommitted: boolean
}

/** The obligations for the trees that the auditor gave. */
export const oweEarlier = (
  obligations: Obligations,
  trees: ReadonlyArray<EarlierTree>
): ReadonlyArray<OwedTree> =>
  trees.map((tree) => ({
    ...tree,
    obligation:
      tree.owed === false
        ? null
        : obligations.bring(
            "earlier",
            `${tree.source}, of ${tree.size} events`,
            "The file was not read to its end"
          )
  }))

/** Compares the log with its earlier states. */
export const checkEarlier = (
  findings: Findings,
  { header, tree, checkpoint, isUncommitted }: LogNow,
  { size, origin, root, source, obligation }: OwedTree
): void => {
  const subject: Subject = { kind: "checkpoint", size }
  if (origin !== header.origin) {
    findings.fail("another_log", subject, `The log of ${source} is a different one`, origin, header.origin)
    return
  }
  const now = tree?.rootAt(size) ?? (checkpoint?.size === size ? checkpoint.root : undefined)
  const newest = Math.max(header.to, checkpoint?.size ?? 0)
  if (now === undefined && newest < size) {
    const message = `The log is shorter than that of ${source}`
    findings.fail("dropped_since", subject, message, String(size), String(newest))
  } else if (now === undefined && size > 0) {
    const message = `Whether the log continues that of ${source}: the range does not show it`
    const remedy = `a bundle that begins at ${size + 1} or before, and ends at ${size} or after`
    if (obligation === null) findings.skip(subject, message, remedy)
    else obligation.explain(`The range does not show that the log continues it; you need ${remedy}`)
  } else if (now !== undefined && !sameHash(now, root)) {
    const message = `The log is not a continuation of that of ${source}`
    findings.fail("checkpoint_inconsistent", subject, message, toHex(root), toHex(now))
  } else {
    findings.prove(subject, `The log is a continuation of that of ${source}`)
    if (isUncommitted) {
      obligation?.explain("The file has events from before the chain, but not event 1, which commits to them")
    } else obligation?.discharge(size)
  }
}

/**
 * Compares the history from before the chain with an earlier state of it; reports nothing if the range begins
 * later.
 */
export const checkEarlierLegacy = (
  findings: Findings,
  { header, legacy }: { readonly header: EvidenceHeader; readonly legacy: LegacyCheck },
  { count, root }: EarlierLegacy
): void => {
  const events = `${count} events from before the chain that the earlier bundle has`
  if (count === 0) return
  if (header.from > 1) {
    findings.skip(BUNDLE, `The ${events}: outside the later bundle's range`, "a bundle of the whole range")
    return
  }
  const now = legacy.rootAt(count)
  if (now !== undefined && sameHash(now, root)) return
  const [code, message] =
    now === undefined
      ? (["dropped_since", `The ${events} are not all in the later one`] as const)
      : (["changed_since", `The ${events} are different in the later one`] as const)
  findings.fail(code, BUNDLE, message, toHex(root), now === undefined ? null : toHex(now))
}
