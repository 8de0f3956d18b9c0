/** Verification of two bundles of one log, and of how the earlier one changed in the later. */

import { DamagedGzip, gunzip } from "@cairn/core/encoding"
import { EvidenceReader } from "@cairn/core/evidence"
import type { Ed25519Verifier, Sha256 } from "@cairn/core/hashing"
import type { Checkpoint } from "@cairn/core/note"
import { Effect, Pull, Result, Stream } from "effect"
import type { EarlierTree } from "../checkpoint/EarlierCheck.ts"
import { EvidenceVerifier } from "../evidence/EvidenceVerifier.ts"
import { feedBundle, type VerifyOptions, verifierTools } from "../evidence/VerifyEvidence.ts"
import { Findings } from "../report/Finding.ts"
import { type BroughtReport, mergeBrought } from "../report/Obligations.ts"
import type { ComparisonReport, Report, Verdict } from "../report/Report.ts"
import type { VerifierTools } from "../tools/VerifierTools.ts"
import { type KeptAnchor, keepAnchor } from "./AnchorComparison.ts"
import { BundleComparison } from "./BundleComparison.ts"

/** What is known of the older bundle after the first pass. */
interface First {
  readonly verifier: EvidenceVerifier
  readonly report: Report
  readonly anchors: ReadonlyMap<string, KeptAnchor>
}

const verifyFirst = <E, R>(
  tools: VerifierTools,
  bundle: Stream.Stream<Uint8Array, E, R>,
  { blockHashes, ...knowledge }: VerifyOptions
): Effect.Effect<First, E, R> =>
  Effect.gen(function* () {
    const anchors = new Map<string, KeptAnchor>()
    const verifier = new EvidenceVerifier(tools, knowledge, (line) => {
      if (line.type === "anchor") anchors.set(line.anchor.id, keepAnchor(line))
    })
    yield* feedBundle(verifier, bundle)
    const hashes = blockHashes === undefined ? undefined : yield* blockHashes(verifier.claimedBlocks)
    return { verifier, report: verifier.finish(hashes), anchors }
  })

/**
 * The trees that the later log must begin with: the tree at the earlier bundle's end, which is required, and
 * the tree of its checkpoint if the later one has a tree of that size. A bundle without events has only the
 * checkpoint's.
 */
const earlierTrees = ({ verifier }: First): ReadonlyArray<EarlierTree> => {
  const { tree, checkpoint } = verifier
  const end = tree !== undefined && tree.size > 0 ? tree : undefined
  const ofCheckpoint = ({ origin, size, root }: Checkpoint): EarlierTree => ({
    origin,
    size,
    root,
    source: "the earlier bundle's checkpoint",
    owed: end === undefined
  })
  return [
    ...(end === undefined ? [] : [{ ...end, source: "the earlier bundle" }]),
    ...(checkpoint === undefined ? [] : [ofCheckpoint(checkpoint)])
  ]
}

/** An earlier bundle that has neither events nor a checkpoint, or cannot be read. */
const noTree = ({ unreadable }: Report): BroughtReport => ({
  name: "earlier",
  what: "the earlier bundle",
  discharged: false,
  up_to: null,
  message:
    unreadable === null
      ? "It contains neither events nor a checkpoint"
      : `It cannot be read: ${unreadable.message}`
})

/**
 * Decompressed chunks of a bundle, one at each call; `undefined` at its end and where the rest cannot be
 * read.
 */
const pieces = Effect.fnUntraced(function* <E, R>(bundle: Stream.Stream<Uint8Array, E, R>) {
  const pull = yield* Stream.toPull(gunzip(bundle))
  let damage: DamagedGzip | undefined
  const next = pull.pipe(
    Pull.catchDone(() => Effect.undefined),
    Effect.catchIf(
      (error): error is DamagedGzip => error instanceof DamagedGzip,
      (error) => {
        damage = error
        return Effect.undefined
      }
    )
  )
  return { next, damage: () => damage }
})

/** Reads both bundles in step. */
const follow = Effect.fnUntraced(function* <E, R, E2, R2>(
  comparison: BundleComparison,
  older: Stream.Stream<Uint8Array, E, R>,
  newer: Stream.Stream<Uint8Array, E2, R2>,
  verifier: EvidenceVerifier
) {
  const [first, second] = [yield* pieces(older), yield* pieces(newer)]
  const reader = new EvidenceReader((line) => comparison.olderLine(line))
  const going = { older: true, newer: true }
  while (going.older || going.newer) {
    const side = going.older && (comparison.behind === "older" || !going.newer) ? "older" : "newer"
    const { next } = side === "older" ? first : second
    const got = going[side] ? yield* next : undefined
    const feed = (bytes: Uint8Array) =>
      side === "older" ? Result.isSuccess(reader.feed(bytes)) : verifier.feed(bytes)
    if (got?.every(feed)) continue
    going[side] = false
    comparison.end(side)
  }
  const damage = second.damage()
  if (damage !== undefined) verifier.abort(damage.message)
})

/** Only the two together can be `unproven`: what does not match one of them may match the other. */
const worst = (verdicts: ReadonlyArray<Verdict>, brought: ReadonlyArray<BroughtReport>): Verdict =>
  (["tampered", "unreadable"] as const).find((verdict) => verdicts.includes(verdict)) ??
  (brought.every(({ discharged }) => discharged) ? "intact" : "unproven")

/**
 * Verifies both bundles, and that nothing of the older one was changed or dropped in the newer one. The older
 * one is read twice. Memory holds a piece of each, and a record of each anchor.
 */
export const compareEvidence = <E, R, E2, R2>(
  older: Stream.Stream<Uint8Array, E, R>,
  newer: Stream.Stream<Uint8Array, E2, R2>,
  options: VerifyOptions = {}
): Effect.Effect<ComparisonReport, E | E2, R | R2 | Sha256 | Ed25519Verifier> =>
  Effect.gen(function* () {
    const tools = yield* verifierTools
    const first = yield* verifyFirst(tools, older, options)
    const { header } = first.verifier
    const findings = new Findings()
    const { blockHashes, ...knowledge } = options
    // A bundle that cannot be read to its end cannot be compared.
    const trees = first.report.unreadable === null ? earlierTrees(first) : []
    const earlier = [...(knowledge.earlier ?? []), ...trees]
    const comparison =
      header === undefined ? undefined : new BundleComparison(findings, { header, anchors: first.anchors })
    const earlierLegacy = first.report.unreadable === null ? (first.verifier.legacy ?? null) : null
    const verifier = new EvidenceVerifier(tools, { ...knowledge, earlier, earlierLegacy }, (line) =>
      comparison?.newerLine(line)
    )
    yield* comparison === undefined
      ? feedBundle(verifier, newer)
      : Effect.scoped(follow(comparison, older, newer, verifier))
    const hashes = blockHashes === undefined ? undefined : yield* blockHashes(verifier.claimedBlocks)
    const report = verifier.finish(hashes)
    const isWhole = first.report.unreadable === null && report.unreadable === null
    if (isWhole) comparison?.finish()
    const lists = (isWhole ? findings : new Findings()).lists
    const brought = mergeBrought(
      first.report.obligations.brought,
      report.obligations.brought,
      trees.some(({ owed }) => owed !== false) ? [] : [noTree(first.report)]
    )
    const own = lists.failures > 0 ? "tampered" : "intact"
    return {
      verdict: worst([own, first.report.verdict, report.verdict], brought),
      brought,
      older: first.report,
      newer: report,
      ...lists
    }
  })
