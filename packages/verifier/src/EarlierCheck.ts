/** Whether a log continues one that the auditor saw before. */
import { type Checkpoint, type EvidenceHeader, sameHash, toHex } from "@cairn/core"
import type { Findings, Subject } from "./Finding.ts"
import type { GrowingTree } from "./GrowingTree.ts"

/** A log's tree at an earlier time, from a checkpoint whose signature the auditor verified or from a bundle that he kept. */
export interface EarlierTree extends Pick<Checkpoint, "origin" | "size" | "root"> {
  /** Where it is from, as the report calls it: `the checkpoint that you kept`. */
  readonly source: string
}

/** What a bundle shows of the log now. */
export interface LogNow {
  readonly header: EvidenceHeader
  /** Null where it cannot be made; else it has watched the sizes of the earlier trees. */
  readonly tree: GrowingTree | null
  readonly checkpoint: Checkpoint | undefined
}

/** Holds the log against what it was before. */
export const checkEarlier = (
  findings: Findings,
  { header, tree, checkpoint }: LogNow,
  { size, origin, root, source }: EarlierTree
): void => {
  const subject: Subject = { kind: "checkpoint", size }
  if (origin !== header.origin) {
    findings.fail("another_log", subject, `The log of ${source} is another one`, origin, header.origin)
    return
  }
  const now = tree?.rootAt(size) ?? (checkpoint?.size === size ? checkpoint.root : undefined)
  const newest = Math.max(header.to, checkpoint?.size ?? 0)
  if (now === undefined && newest < size) {
    const message = `The log is shorter than that of ${source}`
    findings.fail("dropped_since", subject, message, String(size), String(newest))
  } else if (now === undefined && size > 0) {
    const message = `That the log continues that of ${source}: the range does not show it`
    const remedy = `a bundle that begins at ${size + 1} or before, and ends at ${size} or after`
    findings.skip(subject, message, remedy)
  } else if (now !== undefined && !sameHash(now, root)) {
    const message = `The log is not a continuation of that of ${source}`
    findings.fail("checkpoint_inconsistent", subject, message, toHex(root), toHex(now))
  } else findings.prove(subject, `The log is a continuation of that of ${source}`)
}
