/** The checks of one bundle, from its header to its closing line. */

import { logIdHash } from "@cairn/core/anchor"
import type {
  EvidenceAnchor,
  EvidenceCheckpoint,
  EvidenceEnd,
  EvidenceHeader,
  EvidenceLine,
  EvidencePrefix
} from "@cairn/core/evidence"
import type { Checkpoint, VerifierKey } from "@cairn/core/note"
import { AnchorCheck } from "../anchor/AnchorCheck.ts"
import { type CheckpointContext, checkCheckpoint } from "../checkpoint/CheckpointCheck.ts"
import { checkEarlier, checkEarlierLegacy } from "../checkpoint/EarlierCheck.ts"
import { GrowingTree } from "../checkpoint/GrowingTree.ts"
import { ContentHasher } from "../event/ContentHasher.ts"
import { EventCheck } from "../event/EventCheck.ts"
import { EventLines, type Trees } from "../event/EventLines.ts"
import { EventNames } from "../event/EventNames.ts"
import { LegacyCheck } from "../event/LegacyCheck.ts"
import { RemovalCheck } from "../removal/RemovalCheck.ts"
import { RemovalLines } from "../removal/RemovalLine.ts"
import { BUNDLE, type Findings } from "../report/Finding.ts"
import type { Claim, Obligations } from "../report/Obligations.ts"
import type { VerifierTools } from "../tools/VerifierTools.ts"
import { type AuditorKnowledge, BASE, type BroughtThings, type HeldCheckpoint } from "./AuditorKnowledge.ts"
import { rangeEdge } from "./RangeEdge.ts"

/** What the checks depend on. */
interface BundleContext {
  readonly tools: VerifierTools
  readonly knowledge: AuditorKnowledge
  readonly findings: Findings
  readonly obligations: Obligations
  readonly brought: BroughtThings
}

/** Takes the lines after the header in turn. */
export class BundleChecks {
  readonly header: EvidenceHeader
  readonly events: EventCheck
  readonly legacy: LegacyCheck
  readonly removals: RemovalCheck
  readonly #context: BundleContext
  readonly #lines: EventLines
  readonly #removalLines: RemovalLines
  readonly #checkpointContext: CheckpointContext
  readonly #prefixClaim: Claim
  readonly #endClaim: Claim
  #prefix: EvidencePrefix | undefined
  #trees: Trees | undefined
  #checkpoint: HeldCheckpoint | undefined
  #end: EvidenceEnd | undefined
  #eventsFinished = false

  constructor(context: BundleContext, header: EvidenceHeader) {
    const { tools, knowledge, findings, obligations } = context
    const { sha256, ed25519 } = tools
    const { workspace_id: workspaceId, from, to, origin, keys } = header
    this.#context = context
    this.header = header
    this.removals = new RemovalCheck(findings, obligations)
    const shared = { sha256, findings, obligations, removals: this.removals, workspaceId, from, to }
    if (to < from - 1) findings.fail("range_incomplete", BUNDLE, "The range ends before it begins")
    const watched = knowledge.earlierLegacy?.count ?? null
    this.legacy = new LegacyCheck({ ...shared, hasher: new ContentHasher(sha256), watched })
    this.events = new EventCheck({ ...shared, names: new EventNames((bytes) => tools.parsed?.(bytes)) })
    const { events, legacy, removals } = this
    this.#lines = new EventLines({ tools, workspaceId, from, events, legacy, removals })
    const { trustedKeys: trusted = [] } = knowledge
    this.#checkpointContext = { sha256, ed25519, findings, origin, trusted, claimed: keys }
    this.#removalLines = new RemovalLines({ sha256, findings, removals, header })
    this.#prefixClaim = obligations.owe("prefix")
    this.#endClaim = obligations.owe("end")
  }

  /** The checkpoint, if there is one and it can be read. */
  get checkpoint(): Checkpoint | undefined {
    return this.#checkpoint?.read?.checkpoint
  }

  /** The keys that signed it. */
  get signers(): ReadonlyArray<VerifierKey> {
    return this.#checkpoint?.read?.signers ?? []
  }

  /** The log's tree up to the last event; undefined before it has begun, null where it cannot be made. */
  get log(): GrowingTree | null | undefined {
    return this.#trees?.log
  }

  /** The anchors, once one can have come. */
  get anchors(): AnchorCheck | undefined {
    return this.#trees?.anchors
  }

  /** Takes the next line. */
  line(line: Exclude<EvidenceLine, EvidenceHeader>): void {
    const { tools, obligations } = this.#context
    if (line.type === "prefix") {
      this.#prefix = line
      return
    }
    const trees = this.#beginTrees()
    if (line.type === "event") {
      this.#lines.add(line, trees)
      return
    }
    this.#lines.flush(trees)
    switch (line.type) {
      case "legacy":
        this.legacy.check(line)
        return
      case "anchor":
        tools.parsed?.(chainBytes(line))
        trees.anchors.anchor(line, this.events.lastSequence, this.events.complete)
        return
      case "checkpoint":
        this.#checkpointLine(line, trees)
        return
      case "removal": {
        const before = { checkpoint: this.checkpoint, newest: trees.anchors.newest }
        this.#removalLines.check(line, before, obligations.owe("removal"))
        return
      }
      case "end":
        this.#end = line
    }
  }

  /** Checks the events that wait to be checked together. */
  flush(): void {
    if (this.#trees !== undefined) this.#lines.flush(this.#trees)
  }

  /** Ends the checks: there are no more lines, and all of them could be read. */
  finish(): void {
    const { knowledge, findings, brought } = this.#context
    const { header, events, legacy } = this
    const trees = this.#beginTrees()
    this.#finishEvents()
    this.removals.finish()
    legacy.finishRemoved()
    if (header.from > 1 || events.checked === 0) legacy.finishWithout(BUNDLE)
    trees.anchors.finish(events.lastSequence)
    this.#checkCounts(trees.anchors.count)
    if (this.#checkpoint === undefined) this.#noCheckpoint()
    else brought.holdKeys(this.#checkpoint, header.to, events.checked, legacy.count)
    const log = {
      header,
      tree: events.complete ? trees.log : null,
      checkpoint: this.checkpoint,
      isUncommitted: legacy.count > 0 && events.checked === 0
    }
    for (const earlier of brought.earlier) checkEarlier(findings, log, earlier)
    const { earlierLegacy = null } = knowledge
    if (earlierLegacy !== null) checkEarlierLegacy(findings, this, earlierLegacy)
  }

  /** The trees, which begin with the first line after the header and the prefix. */
  #beginTrees(): Trees {
    if (this.#trees !== undefined) return this.#trees
    const { tools, knowledge, findings, obligations, brought } = this.#context
    const { sha256 } = tools
    const { from, to, origin } = this.header
    const { anchorAddress = null, chainId = BASE } = knowledge
    const edge = rangeEdge(findings, this.header, this.#prefix, this.#prefixClaim)
    const context = {
      sha256,
      findings,
      obligations,
      logIdHash: logIdHash(sha256, origin),
      address: brought.address,
      anchorAddress,
      chainId,
      from,
      to
    }
    const sizes = brought.earlier.map(({ size }) => size)
    const log = edge.log === null ? null : new GrowingTree(sha256, edge.log, sizes)
    this.#trees = { log, anchors: new AnchorCheck(context, edge) }
    return this.#trees
  }

  #checkpointLine(line: EvidenceCheckpoint, { log }: Trees): void {
    const { obligations } = this.#context
    this.#finishEvents()
    const { from, to } = this.header
    const frontier = this.events.complete && log !== null ? log.frontier : null
    const [holds, signature] = [obligations.owe("checkpoint"), obligations.owe("checkpoint_signature")]
    const read = checkCheckpoint(this.#checkpointContext, line, { from, to, frontier }, holds)
    if (read?.signers !== undefined) signature.discharge()
    this.#checkpoint = { read, holds }
  }

  #finishEvents(): void {
    if (this.#eventsFinished) return
    this.#eventsFinished = true
    const { findings } = this.#context
    const { events } = this
    events.finish()
    if (events.checked === 0 || !events.complete || findings.failures > 0) return
    const { from, to } = this.header
    const message = `Events ${from} to ${to}: each has its hash and follows the one before it`
    findings.prove(BUNDLE, message)
  }

  /** An auditor who gives a key relies on it; otherwise a forger could simply leave the checkpoint out. */
  #noCheckpoint(): void {
    const { knowledge, findings } = this.#context
    const { trustedKeys = [] } = knowledge
    if (trustedKeys.length > 0) {
      const message = "There is no checkpoint, so no key that you trust has signed this log"
      findings.fail("checkpoint_missing", BUNDLE, message)
    } else {
      const message = "Whether these are the events of the log: there is no checkpoint"
      findings.skip(BUNDLE, message, "a bundle from a service that signs checkpoints")
    }
  }

  #checkCounts(anchors: number): void {
    const end = this.#end
    if (end === undefined) return
    const actual = {
      anchors,
      events: this.events.checked,
      legacy: this.legacy.count,
      removals: this.#removalLines.count
    }
    const names = ["anchors", "events", "legacy", "removals"] as const
    const wrong = names.filter((name) => end[name] !== actual[name])
    for (const name of wrong) {
      const message = `The closing line has a wrong count of ${name}`
      this.#context.findings.fail("counts_differ", BUNDLE, message, String(end[name]), String(actual[name]))
    }
    if (wrong.length === 0) this.#endClaim.discharge()
  }
}

/** Bytes of the chain's data in an anchor's line. */
const chainBytes = ({ anchor, block, transactions }: EvidenceAnchor): number => {
  if (anchor.tx_hash === null) return 0
  const texts = [...transactions, ...(block === null ? [] : [block.header, ...block.proof])]
  return texts.reduce((sum, text) => sum + text.length / 2, 0)
}
