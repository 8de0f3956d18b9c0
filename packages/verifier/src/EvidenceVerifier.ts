/**
 * The verification of an evidence bundle: bytes in, a report out, in flat memory and without a network.
 *
 * It trusts nothing that the bundle says of itself. What a bundle alone can show is that its parts fit; that they are the service's
 * follows from what the auditor brings: the key that signs checkpoints, the account that anchors, the hash of a block.
 *
 * The verdict is earned: what is owed is written down in `Obligations` first, and only a check that succeeded takes it off.
 */
import {
  type Checkpoint,
  type Ed25519VerifierShape,
  type EventContent,
  type EvidenceAnchor,
  type EvidenceCheckpoint,
  type EvidenceEnd,
  type EvidenceEvent,
  type EvidenceHeader,
  type EvidenceLine,
  type EvidencePrefix,
  EvidenceReader,
  frontierRoot,
  logIdHash,
  parseContent,
  removalOf,
  type Sha256Shape
} from "@cairn/core"
import { Result } from "effect"
import { AnchorCheck } from "./AnchorCheck.ts"
import type { ClaimedBlock } from "./AnchorTransaction.ts"
import { type AuditorKnowledge, BASE, BroughtThings, type HeldCheckpoint } from "./AuditorKnowledge.ts"
import { type CheckpointContext, checkCheckpoint } from "./CheckpointCheck.ts"
import { ContentHasher } from "./ContentHasher.ts"
import { checkEarlier, checkEarlierLegacy, type EarlierLegacy, type EarlierTree } from "./EarlierCheck.ts"
import { EventCheck } from "./EventCheck.ts"
import { EventHashes, type FoundEvents } from "./EventHashes.ts"
import { EventNames } from "./EventNames.ts"
import { BUNDLE, Findings, type Subject } from "./Finding.ts"
import { GrowingTree, leafOf } from "./GrowingTree.ts"
import { LegacyCheck } from "./LegacyCheck.ts"
import { type Claim, Obligations } from "./Obligations.ts"
import { rangeEdge } from "./RangeEdge.ts"
import { RemovalCheck } from "./RemovalCheck.ts"
import { RemovalLines } from "./RemovalLine.ts"
import type { Report, Verdict } from "./Report.ts"
import { cutOff, malformed, type Unreadable } from "./Unreadable.ts"

/** What the verifier computes with; all of it synchronous. */
export interface VerifierTools {
  readonly sha256: Sha256Shape
  readonly ed25519: Ed25519VerifierShape
  /** Told of each text that is read, in bytes, see `countWork`. */
  readonly parsed?: (bytes: number) => void
}

/** Events that are hashed together, at most. */
const BATCH = 64

/** How the contents begin that mean something to a verifier. */
const CAIRN_ACTION = new TextEncoder().encode('{"action":"cairn.')

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Whether the content's action may be one of Cairn's own; few are, and only those are parsed. */
const isCairns = (content: Uint8Array): boolean => {
  for (let index = CAIRN_ACTION.length - 1; index >= 0; index--) {
    if (content[index] !== CAIRN_ACTION[index]) return false
  }
  return true
}

/** The checks that a header begins. */
interface Checks {
  readonly header: EvidenceHeader
  readonly removals: RemovalCheck
  readonly legacy: LegacyCheck
  readonly hashes: EventHashes
  readonly events: EventCheck
  readonly checkpoint: CheckpointContext
  readonly removalLines: RemovalLines
  readonly prefix: Claim
  readonly end: Claim
}

/** The trees, once it is known where they begin. */
interface Trees {
  /** Null where the events before the range are not accounted for. */
  readonly log: GrowingTree | null
  readonly anchors: AnchorCheck
}

/** Verifies one bundle. */
export class EvidenceVerifier {
  readonly #tools: VerifierTools
  readonly #knowledge: AuditorKnowledge
  readonly #findings = new Findings()
  readonly #obligations = new Obligations()
  readonly #brought: BroughtThings
  readonly #names: EventNames
  readonly #reader: EvidenceReader
  readonly #hasher: ContentHasher
  #checks: Checks | undefined
  /** Events that were read and wait to be checked together. */
  #waiting: Array<EvidenceEvent> = []
  #prefix: EvidencePrefix | undefined
  #trees: Trees | undefined
  #checkpoint: HeldCheckpoint | undefined
  #end: EvidenceEnd | undefined
  #eventsFinished = false
  #unreadable: Unreadable | null = null

  /** `listen` is told of each line in turn, for those who do more with it. */
  constructor(
    tools: VerifierTools,
    knowledge: AuditorKnowledge = {},
    listen: (line: EvidenceLine) => void = () => {}
  ) {
    this.#tools = tools
    this.#knowledge = knowledge
    this.#brought = new BroughtThings(this.#obligations, knowledge)
    this.#names = new EventNames((bytes) => tools.parsed?.(bytes))
    this.#hasher = new ContentHasher(tools.sha256)
    this.#reader = new EvidenceReader((line) => {
      this.#line(line)
      listen(line)
    })
  }

  /** Takes in more of the lines, decompressed. False once the rest cannot be read, when feeding it is of no use. */
  feed(bytes: Uint8Array): boolean {
    if (this.#unreadable !== null) return false
    this.#tools.parsed?.(bytes.length)
    const fed = this.#reader.feed(bytes)
    // The contents are parts of these bytes.
    if (this.#checks !== undefined) this.#checkEvents(this.#checks)
    if (Result.isFailure(fed)) this.#unreadable = malformed(fed.failure)
    return this.#unreadable === null
  }

  /**
   * The bytes are not one whole gzip member. What was found in the part before the damage does not count: how large that is depends on
   * the program that unpacks it, and on the pieces that it is given.
   */
  abort(message: string): void {
    this.#unreadable ??= { line: null, message }
  }

  /** The checkpoint, if there is one and it can be read; of what its signature is worth the report tells. */
  get checkpoint(): Checkpoint | undefined {
    return this.#checkpoint?.read?.checkpoint
  }

  /** The tree over the log up to the end of the range; `undefined` where there is none, or some of it is missing. */
  get tree(): Omit<EarlierTree, "source"> | undefined {
    const checks = this.#checks
    const log = this.#trees?.log
    if (checks === undefined || log === undefined || log === null || !checks.events.complete) return undefined
    const { size } = log
    return { origin: checks.header.origin, size, root: frontierRoot(this.#tools.sha256, log.frontier) }
  }

  /** The history from before the chain; `undefined` before the header was read. */
  get legacy(): EarlierLegacy | undefined {
    const legacy = this.#checks?.legacy
    return legacy === undefined
      ? undefined
      : { count: legacy.count, root: frontierRoot(this.#tools.sha256, legacy.frontier) }
  }

  /** The bundle's header, once it was read. */
  get header(): EvidenceHeader | undefined {
    return this.#checks?.header
  }

  /** The blocks that anchors' transactions were proven to be in, whose hashes are to be looked up. */
  get claimedBlocks(): ReadonlyArray<ClaimedBlock> {
    return (this.#trees?.anchors.blocks ?? []).map(({ block }) => block)
  }

  /** There is no more to feed. `blockHashes` are those of further blocks, as they were looked up meanwhile, by number. */
  finish(blockHashes: ReadonlyMap<number, string> = new Map()): Report {
    if (this.#unreadable === null) this.#finishReading()
    const checks = this.#checks
    if (checks !== undefined && this.#unreadable === null) this.#finishChecks(checks)
    this.#brought.holdBlocks(this.#findings, this.#trees?.anchors.blocks ?? [], blockHashes)
    if (this.#unreadable === null) this.#checkLeft()
    const { lists } = this.#isDamaged ? new Findings() : this.#findings
    const obligations = this.#obligations.report
    return {
      verdict: this.#verdict(),
      bundle: checks === undefined ? null : bundleOf(checks.header),
      counts: {
        events: checks?.events.checked ?? 0,
        removed: checks?.removals.removed ?? 0,
        legacy: checks?.legacy.count ?? 0,
        anchors: this.#trees?.anchors.count ?? 0
      },
      ...lists,
      obligations,
      blocks: this.claimedBlocks,
      unreadable: this.#unreadable
    }
  }

  get #isDamaged(): boolean {
    return this.#unreadable !== null && this.#unreadable.line === null
  }

  #verdict(): Verdict {
    const { brought } = this.#obligations.report
    if (this.#findings.failures > 0 && !this.#isDamaged) return "tampered"
    if (this.#unreadable !== null) return "unreadable"
    return brought.every(({ discharged }) => discharged) ? "intact" : "unproven"
  }

  #line(line: EvidenceLine): void {
    if (line.type === "header") {
      this.#checks = this.#begin(line)
      return
    }
    const checks = this.#checks
    // The reader lets no other line be the first.
    if (checks === undefined) return
    if (line.type === "prefix") {
      this.#prefix = line
      return
    }
    const trees = this.#treesOf(checks)
    if (line.type === "event") {
      this.#waiting.push(line)
      if (this.#waiting.length === BATCH) this.#checkEvents(checks)
      return
    }
    this.#checkEvents(checks)
    switch (line.type) {
      case "legacy":
        checks.legacy.check(line)
        return
      case "anchor":
        this.#tools.parsed?.(chainBytes(line))
        trees.anchors.anchor(line, checks.events.lastSequence, checks.events.complete)
        return
      case "checkpoint":
        this.#checkpointLine(checks, line)
        return
      case "removal": {
        const before = { checkpoint: this.checkpoint, newest: trees.anchors.newest }
        checks.removalLines.check(line, before, this.#obligations.owe("removal"))
        return
      }
      case "end":
        this.#end = line
    }
  }

  #begin(header: EvidenceHeader): Checks {
    const { sha256, ed25519 } = this.#tools
    const [findings, obligations, names, hasher] = [
      this.#findings,
      this.#obligations,
      this.#names,
      this.#hasher
    ]
    const removals = new RemovalCheck(findings, obligations)
    const { workspace_id: workspaceId, from, to, origin, keys } = header
    const shared = { sha256, findings, obligations, removals, workspaceId, from, to }
    if (to < from - 1) findings.fail("range_incomplete", BUNDLE, "The range ends before it begins")
    const { trustedKeys: trusted = [] } = this.#knowledge
    return {
      header,
      removals,
      legacy: new LegacyCheck({ ...shared, hasher, watched: this.#knowledge.earlierLegacy?.count ?? null }),
      hashes: new EventHashes(sha256, workspaceId),
      events: new EventCheck({ ...shared, names }),
      checkpoint: { sha256, ed25519, findings, origin, trusted, claimed: keys },
      removalLines: new RemovalLines({ sha256, findings, removals, header }),
      prefix: obligations.owe("prefix"),
      end: obligations.owe("end")
    }
  }

  /** The trees, which begin with the first line after the header and the prefix. */
  #treesOf({ header, prefix }: Checks): Trees {
    if (this.#trees !== undefined) return this.#trees
    const { sha256 } = this.#tools
    const { from, to, origin } = header
    const { anchorAddress = null, chainId = BASE } = this.#knowledge
    const edge = rangeEdge(this.#findings, header, this.#prefix, prefix)
    const context = {
      sha256,
      findings: this.#findings,
      obligations: this.#obligations,
      logIdHash: logIdHash(sha256, origin),
      address: this.#brought.address,
      anchorAddress,
      chainId,
      from,
      to
    }
    const sizes = this.#brought.earlier.map(({ size }) => size)
    const log = edge.log === null ? null : new GrowingTree(sha256, edge.log, sizes)
    this.#trees = { log, anchors: new AnchorCheck(context, edge) }
    return this.#trees
  }

  /** Checks the events that wait. */
  #checkEvents(checks: Checks): void {
    const events = this.#waiting
    if (events.length === 0) return
    this.#waiting = []
    const found = checks.hashes.of(events)
    for (const [index, event] of events.entries()) this.#event(checks, event, found, index)
  }

  #event(checks: Checks, event: EvidenceEvent, { hashes, leaves }: FoundEvents, index: number): void {
    const trees = this.#treesOf(checks)
    const { events, header, legacy, removals } = checks
    if (events.checked === 0 && header.from > 1 && event.previousEventHash !== null) {
      trees.log?.add(leafOf(this.#tools.sha256, event.previousEventHash))
      trees.anchors.predecessor(event.previousEventHash)
    }
    const content = this.#cairnContent(event)
    if (events.checked === 0 && event.sequence === 1) {
      const subject: Subject = { kind: "event", sequence: 1, id: event.id }
      if (event.content === null) legacy.removed(subject)
      else legacy.finish(subject, content, event.createdAt)
    }
    const hashed = hashes[index]
    if (hashed !== undefined) events.check(event, hashed)
    // Of events that do not stand in their places no tree is made: nothing could come of it, and it could outgrow all numbers.
    if (events.complete) {
      trees.log?.add(leaves, index)
      trees.anchors.event(event, leaves, index)
    }
    const removal = content === undefined ? undefined : removalOf(content)
    if (removal !== undefined) removals.recorded(removal, event.sequence)
  }

  /** The content, if its action is one of Cairn's own. */
  #cairnContent({ content }: EvidenceEvent): EventContent | undefined {
    if (content === null || !isCairns(content)) return undefined
    this.#tools.parsed?.(content.length)
    try {
      return parseContent(utf8.decode(content))
    } catch {
      return undefined
    }
  }

  #checkpointLine(checks: Checks, line: EvidenceCheckpoint): void {
    const { log } = this.#treesOf(checks)
    this.#finishEvents(checks)
    const { from, to } = checks.header
    const frontier = checks.events.complete && log !== null ? log.frontier : null
    const [holds, signature] = [
      this.#obligations.owe("checkpoint"),
      this.#obligations.owe("checkpoint_signature")
    ]
    const read = checkCheckpoint(checks.checkpoint, line, { from, to, frontier }, holds)
    if (read?.signers !== undefined) signature.discharge()
    this.#checkpoint = { read, holds }
  }

  #finishEvents({ events, header }: Checks): void {
    if (this.#eventsFinished) return
    this.#eventsFinished = true
    events.finish()
    if (events.checked === 0 || !events.complete) return
    const { from, to } = header
    if (this.#findings.failures === 0) {
      this.#findings.prove(
        BUNDLE,
        `Events ${from} to ${to}: each is what was hashed and follows the one before it`
      )
    }
  }

  #finishReading(): void {
    const finished = this.#reader.finish()
    if (Result.isSuccess(finished)) return
    const { reason, lines } = finished.failure
    if (reason === "no_end_line" && lines > 0) {
      this.#findings.fail("cut_off", BUNDLE, "The closing line is missing: the file goes on elsewhere")
    } else this.#unreadable = cutOff(finished.failure)
  }

  #finishChecks(checks: Checks): void {
    const trees = this.#treesOf(checks)
    this.#finishEvents(checks)
    checks.removals.finish()
    checks.legacy.finishRemoved()
    if (checks.header.from > 1 || checks.events.checked === 0) checks.legacy.finishWithout(BUNDLE)
    trees.anchors.finish(checks.events.lastSequence)
    this.#checkCounts(checks, trees)
    if (this.#checkpoint === undefined) this.#noCheckpoint()
    else
      this.#brought.holdKeys(this.#checkpoint, checks.header.to, checks.events.checked, checks.legacy.count)
    const log = {
      header: checks.header,
      tree: checks.events.complete ? trees.log : null,
      checkpoint: this.checkpoint,
      isUncommitted: checks.legacy.count > 0 && checks.events.checked === 0
    }
    for (const earlier of this.#brought.earlier) checkEarlier(this.#findings, log, earlier)
    const { earlierLegacy = null } = this.#knowledge
    if (earlierLegacy !== null) checkEarlierLegacy(this.#findings, checks, earlierLegacy)
  }

  /** Who brings a key relies on it: otherwise one would only have to leave the checkpoint out. */
  #noCheckpoint(): void {
    const { trustedKeys = [] } = this.#knowledge
    if (trustedKeys.length > 0) {
      const message = "There is no checkpoint, so no key that you trust has signed this log"
      this.#findings.fail("checkpoint_missing", BUNDLE, message)
    } else {
      const message = "That these are the events of the log: there is no checkpoint"
      this.#findings.skip(BUNDLE, message, "a bundle from a service that signs checkpoints")
    }
  }

  #checkCounts({ events, legacy, removalLines, end: claim }: Checks, { anchors }: Trees): void {
    const end = this.#end
    if (end === undefined) return
    const actual = {
      anchors: anchors.count,
      events: events.checked,
      legacy: legacy.count,
      removals: removalLines.count
    }
    const names = ["anchors", "events", "legacy", "removals"] as const
    const wrong = names.filter((name) => end[name] !== actual[name])
    for (const name of wrong) {
      const message = `The closing line counts other ${name} than there are`
      this.#findings.fail("counts_differ", BUNDLE, message, String(end[name]), String(actual[name]))
    }
    if (wrong.length === 0) claim.discharge()
  }

  /** What is left of what the file owes was shown by nothing. Where something failed, that is why. */
  #checkLeft(): void {
    if (this.#findings.failures > 0) return
    for (const { name, owed, discharged } of this.#obligations.left) {
      const message = `Nothing shows what it must: ${name}, ${owed - discharged} of ${owed}`
      this.#findings.fail("not_shown", BUNDLE, message, String(owed), String(discharged))
    }
  }
}

/** Bytes of what stands in an anchor's line of its chain. */
const chainBytes = ({ anchor, block, transactions }: EvidenceAnchor): number => {
  if (anchor.tx_hash === null) return 0
  const texts = [...transactions, ...(block === null ? [] : [block.header, ...block.proof])]
  return texts.reduce((sum, text) => sum + text.length / 2, 0)
}

const bundleOf = ({ workspace_id, origin, from, to, created_at }: EvidenceHeader): Report["bundle"] => ({
  workspace_id,
  origin,
  from,
  to,
  created_at
})
