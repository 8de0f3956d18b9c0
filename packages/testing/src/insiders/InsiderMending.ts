/**
 * The insiders: what each of them can recompute after a change, and which part of it is recomputed in a
 * trial.
 */
import type { Ed25519SignerShape, Sha256Shape } from "@cairn/core/hashing"
import { toHex } from "@cairn/core/hashing"
import type { SeededRandom } from "../generators/SeededRandom.ts"
import type { BundleLines } from "./BundleLines.ts"
import {
  firstOf,
  mendContents,
  mendCounts,
  mendHistory,
  mendLinks,
  mendRange,
  mendSequences,
  mendTimes
} from "./EventMending.ts"
import type { Truth } from "./InsiderShapes.ts"
import { wholeIn } from "./JsonValues.ts"
import {
  leavesOf,
  mendAnchors,
  mendGrowth,
  mendPeriods,
  mendPlaces,
  mendPrefix,
  mendRemovals,
  type Resend,
  signedNote,
  withNote
} from "./TreeMending.ts"

/**
 * The attacker: somebody who can write every file but does not have the key that signs checkpoints, or the
 * operator, who has it.
 */
export const INSIDERS = ["without the key", "with the key"] as const
export type InsiderName = (typeof INSIDERS)[number]

/** What can be recomputed, in order. */
export const STEPS = [
  "sequences",
  "range",
  "times",
  "history",
  "contents",
  "links",
  "anchors",
  "periods",
  "prefix",
  "removals",
  "note",
  "growth",
  "places",
  "counts"
] as const
export type Step = (typeof STEPS)[number]

/** What is recomputed in a trial. */
export interface MendPlan {
  readonly steps: ReadonlySet<Step>
  readonly resend: Resend
  /**
   * The checkpoint: the newest or an older true one, a self-made one over the whole log or over the range,
   * the existing one, or none.
   */
  readonly note: "newest" | "older" | "own" | "own of the range" | "kept" | "none"
}

/**
 * Everything, everything except one or some parts, or almost nothing: a bundle that is recomputed in part may
 * pass where a fully recomputed one fails.
 */
export const mendPlan = (insider: InsiderName, random: SeededRandom): MendPlan => {
  const share = random.real()
  const left = random.pick(STEPS)
  // Renumbering hides a gap; without it the range begins elsewhere.
  const renumbers = random.chance(0.6)
  const steps = STEPS.filter((step) => {
    if (step === "sequences" && !renumbers) return false
    if (share < 0.5) return true
    if (share < 0.75) return step !== left
    if (share < 0.9) return step === "counts" || random.chance(0.5)
    return step === "counts"
  })
  const ofOutsider = ["newest", "newest", "newest", "newest", "older", "kept", "none"] as const
  const ofOperator = ["own", "own", "own", "own of the range", "kept", "older", "none"] as const
  return {
    steps: new Set(steps),
    resend: random.pick(["keep", "pending"]),
    note: random.pick(insider === "with the key" ? ofOperator : ofOutsider)
  }
}

/** What an insider needs for recomputing. */
export interface MendTools {
  readonly sha256: Sha256Shape
  readonly signer: Ed25519SignerShape
  readonly truth: Truth
  readonly random: SeededRandom
}

const noteSize = (lines: BundleLines): number => {
  const note = firstOf(lines, "checkpoint")?.note
  return wholeIn(note, "size") ?? 0
}

/** Removals, the note and the proof to it: they depend on one another through its size. */
const mendCheckpoint = (lines: BundleLines, plan: MendPlan, tools: MendTools): BundleLines => {
  const { sha256, truth, signer, random } = tools
  const to = wholeIn(firstOf(lines, "header"), "to") ?? 0
  const newest = truth.notes.size
  const size =
    plan.note === "newest"
      ? newest
      : plan.note === "older"
        ? 1 + random.below(newest)
        : plan.note === "own"
          ? Math.max(newest, to)
          : plan.note === "own of the range"
            ? to
            : noteSize(lines)
  let mended = lines
  if (plan.steps.has("removals")) mended = mendRemovals(sha256, mended, truth.leaves, size)
  const leaves = leavesOf(sha256, mended, truth.leaves).slice(0, size)
  if (plan.steps.has("note") && plan.note !== "kept") {
    const isOwn = plan.note === "own" || plan.note === "own of the range"
    const note = isOwn ? signedNote(sha256, signer, mended, leaves) : (truth.notes.get(size) ?? null)
    mended = withNote(mended, plan.note === "none" ? null : note)
  }
  return plan.steps.has("growth") ? mendGrowth(sha256, mended, leaves, size) : mended
}

/** The lines with the parts recomputed that the plan names. */
export const mend = (lines: BundleLines, plan: MendPlan, tools: MendTools): BundleLines => {
  const { sha256, truth } = tools
  const { steps, resend } = plan
  const when = (step: Step, change: (before: BundleLines) => BundleLines) => (before: BundleLines) =>
    steps.has(step) ? change(before) : before
  const links = (before: BundleLines) => {
    const from = wholeIn(firstOf(before, "header"), "from") ?? 1
    const leaf = truth.leaves[from - 2]
    return mendLinks(sha256, before, from > 1 && leaf !== undefined ? toHex(leaf) : null)
  }
  const leaves = (before: BundleLines) => leavesOf(sha256, before, truth.leaves)
  const changes = [
    when("sequences", mendSequences),
    when("range", mendRange),
    when("times", mendTimes),
    when("history", (before) => mendHistory(sha256, before)),
    when("contents", (before) => mendContents(sha256, before)),
    when("links", links),
    when("anchors", (before) => mendAnchors(sha256, before, leaves(before), resend)),
    when("periods", mendPeriods),
    when("prefix", (before) => mendPrefix(sha256, before, leaves(before))),
    (before: BundleLines) => mendCheckpoint(before, plan, tools),
    when("places", mendPlaces),
    when("counts", mendCounts)
  ]
  return changes.reduce((before, change) => change(before), lines)
}
