/**
 * The verification of an evidence bundle: bytes in, a report out, in flat memory and without a network.
 *
 * It trusts nothing that the bundle says of itself. What a bundle alone can show is that its parts fit; that they are the service's
 * follows from what the auditor brings: the key that signs checkpoints, the account that anchors, the hash of a block.
 */
import {
  type Checkpoint,
  type Ed25519VerifierShape,
  type EventContent,
  type EvidenceCheckpoint,
  type EvidenceCutOff,
  type EvidenceEnd,
  type EvidenceEvent,
  type EvidenceHeader,
  type EvidenceLine,
  type EvidencePrefix,
  EvidenceReader,
  type EvidenceRemoval,
  emptyFrontier,
  frontierFrom,
  frontierRoot,
  type MalformedEvidence,
  type MerkleFrontier,
  type ProvenEvent,
  parseContent,
  type Removal,
  removalOf,
  type Sha256Shape,
  type VerifierKey,
  verifyProvenEvent
} from "@cairn/core"
import { Result } from "effect"
import { AnchorCheck } from "./AnchorCheck.ts"
import { type ClaimedBlock, checkBlockHash } from "./AnchorTransaction.ts"
import { type CheckpointContext, checkCheckpoint } from "./CheckpointCheck.ts"
import { ContentHasher } from "./ContentHasher.ts"
import { checkEarlier, type EarlierTree } from "./EarlierCheck.ts"
import { EventCheck } from "./EventCheck.ts"
import { EventHashes, type FoundEvents, type FoundHashes } from "./EventHashes.ts"
import { BUNDLE, Findings, type Subject } from "./Finding.ts"
import { GrowingTree, leafOf } from "./GrowingTree.ts"
import { LegacyCheck } from "./LegacyCheck.ts"
import { RemovalCheck } from "./RemovalCheck.ts"
import type { Report, Unreadable } from "./Report.ts"

/** What the verifier computes with; all of it synchronous. */
export interface VerifierTools {
  readonly sha256: Sha256Shape
  readonly ed25519: Ed25519VerifierShape
}

/** What the auditor knows from elsewhere. All of it may be missing; the report says what could not be checked for that. */
export interface AuditorKnowledge {
  /** Keys that sign this service's checkpoints, or those of witnesses. */
  readonly trustedKeys?: ReadonlyArray<VerifierKey>
  /** The account that anchors, `0x` and 40 lower-case hexadecimal characters. */
  readonly anchorAddress?: string | null
  /** 8453, which is Base, unless set. */
  readonly chainId?: number
  /** The log as the auditor saw it before: it must be a continuation of each. */
  readonly earlier?: ReadonlyArray<EarlierTree>
}

/** Base mainnet. */
const BASE = 8453

/** Events that are hashed together, at most. */
const BATCH = 64
const NOTHING_FOUND: FoundHashes = { content: false, header: false }

/** How the contents begin that mean something to a verifier. */
const CAIRN_ACTION = new TextEncoder().encode('{"action":"cairn.')

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The content, if its action is one of Cairn's own; few are, and only those are parsed. */
const cairnContent = (content: Uint8Array | null): EventContent | undefined => {
  if (content === null) return undefined
  for (let index = CAIRN_ACTION.length - 1; index >= 0; index--) {
    if (content[index] !== CAIRN_ACTION[index]) return undefined
  }
  try {
    return parseContent(utf8.decode(content))
  } catch {
    return undefined
  }
}

/** The checks that a header begins. */
interface Checks {
  readonly header: EvidenceHeader
  readonly removals: RemovalCheck
  readonly legacy: LegacyCheck
  readonly hashes: EventHashes
  readonly events: EventCheck
  readonly checkpoint: CheckpointContext
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
  readonly #reader: EvidenceReader
  readonly #hasher: ContentHasher
  #checks: Checks | undefined
  /** Events that were read and wait to be checked together. */
  #waiting: Array<EvidenceEvent> = []
  #prefix: EvidencePrefix | undefined
  #trees: Trees | undefined
  #checkpoint: Checkpoint | undefined
  #checkpoints = 0
  #removalLines = 0
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
    this.#hasher = new ContentHasher(tools.sha256)
    this.#reader = new EvidenceReader((line) => {
      this.#line(line)
      listen(line)
    })
  }

  /** Takes in more of the lines, decompressed. False once the rest cannot be read, when feeding it is of no use. */
  feed(bytes: Uint8Array): boolean {
    if (this.#unreadable !== null) return false
    const fed = this.#reader.feed(bytes)
    // The contents are parts of these bytes.
    if (this.#checks !== undefined) this.#checkEvents(this.#checks)
    if (Result.isFailure(fed)) this.#unreadable = describe(fed.failure)
    return this.#unreadable === null
  }

  /** The rest cannot be read: no gzip, or it ends in the middle. */
  abort(message: string): void {
    this.#unreadable ??= { line: null, message }
  }

  /** The checkpoint, if there is one and it can be read; of what its signature is worth the report tells. */
  get checkpoint(): Checkpoint | undefined {
    return this.#checkpoint
  }

  /** The tree over the log up to the end of the range; `undefined` where the events before the range, or some of it, are missing. */
  get tree(): Omit<EarlierTree, "source"> | undefined {
    const checks = this.#checks
    const log = this.#trees?.log
    if (checks === undefined || log === undefined || log === null || !checks.events.complete) return undefined
    const { size } = log
    return { origin: checks.header.origin, size, root: frontierRoot(this.#tools.sha256, log.frontier) }
  }

  /** The bundle's header, once it was read. */
  get header(): EvidenceHeader | undefined {
    return this.#checks?.header
  }

  /** The blocks that anchors' transactions were proven to be in, whose hashes are to be looked up. */
  get claimedBlocks(): ReadonlyArray<ClaimedBlock> {
    const transactions = this.#trees?.anchors.transactions ?? []
    return transactions.flatMap(({ block }) => (block === null ? [] : [block]))
  }

  /** There is no more to feed. `blockHashes` are those that the auditor looked up, by number. */
  finish(blockHashes: ReadonlyMap<number, string> = new Map()): Report {
    if (this.#unreadable === null) this.#finishReading()
    const checks = this.#checks
    if (checks !== undefined && this.#unreadable === null) this.#finishChecks(checks)
    for (const block of this.claimedBlocks) checkBlockHash(this.#findings, block, blockHashes)
    const lists = this.#findings.lists
    const verdict = lists.failures > 0 ? "tampered" : this.#unreadable === null ? "intact" : "unreadable"
    return {
      verdict,
      bundle: checks === undefined ? null : bundleOf(checks.header),
      counts: {
        events: checks?.events.checked ?? 0,
        removed: checks?.removals.removed ?? 0,
        legacy: checks?.legacy.count ?? 0,
        anchors: this.#trees?.anchors.count ?? 0
      },
      ...lists,
      blocks: this.claimedBlocks,
      unreadable: this.#unreadable
    }
  }

  #line(line: EvidenceLine): void {
    if (line.type === "header") {
      this.#checks = this.#begin(line)
      return
    }
    const checks = this.#checks
    // The reader lets no other line be the first.
    if (checks === undefined) return
    if (line.type === "event") {
      this.#waiting.push(line)
      if (this.#waiting.length === BATCH) this.#checkEvents(checks)
      return
    }
    this.#checkEvents(checks)
    switch (line.type) {
      case "prefix":
        this.#prefix = line
        return
      case "legacy":
        checks.legacy.check(line)
        return
      case "anchor":
        this.#treesOf(checks).anchors.anchor(line, checks.events.lastSequence, checks.events.complete)
        return
      case "checkpoint":
        this.#checkpointLine(checks, line)
        return
      case "removal":
        this.#removal(checks, line)
        return
      case "end":
        this.#end = line
    }
  }

  #begin(header: EvidenceHeader): Checks {
    const { sha256, ed25519 } = this.#tools
    const findings = this.#findings
    const hasher = this.#hasher
    const removals = new RemovalCheck(findings)
    const { workspace_id: workspaceId, from, to, origin, keys } = header
    const shared = { sha256, hasher, findings, removals, workspaceId }
    if (to < from - 1) findings.fail("range_incomplete", BUNDLE, "The range ends before it begins")
    const { trustedKeys: trusted = [] } = this.#knowledge
    return {
      header,
      removals,
      legacy: new LegacyCheck(shared),
      hashes: new EventHashes(sha256, workspaceId),
      events: new EventCheck({ ...shared, from, to }),
      checkpoint: { sha256, ed25519, findings, origin, trusted, claimed: keys }
    }
  }

  /** The trees, which begin with the first event or anchor. */
  #treesOf({ header }: Checks): Trees {
    if (this.#trees !== undefined) return this.#trees
    const { sha256 } = this.#tools
    const { from, to, origin } = header
    const { anchorAddress = null, chainId = BASE } = this.#knowledge
    const context = { sha256, findings: this.#findings, origin, anchorAddress, chainId, from, to }
    const edge = this.#edge(from)
    const log = edge.log === null ? null : new GrowingTree(sha256, edge.log, this.#watchedSizes())
    this.#trees = { log, anchors: new AnchorCheck(context, edge.period) }
    return this.#trees
  }

  /** What is known of the events before the range. */
  #edge(from: number): {
    readonly log: MerkleFrontier | null
    readonly period: { readonly first: number; readonly frontier: MerkleFrontier } | null
  } {
    const prefix = this.#prefix
    if (from === 1) return { log: emptyFrontier, period: null }
    if (prefix === undefined) return { log: null, period: null }
    const log = frontierFrom(from - 2, prefix.log)
    const first = prefix.period?.first_sequence ?? from
    const period = prefix.period === null ? undefined : frontierFrom(from - 1 - first, prefix.period.hashes)
    if (Result.isFailure(log) || (period !== undefined && Result.isFailure(period))) {
      const message = "Its frontiers are not those of any log that is as long"
      this.#findings.fail("prefix_malformed", BUNDLE, message)
      return { log: null, period: null }
    }
    return {
      log: log.success,
      period: period === undefined ? null : { first, frontier: period.success }
    }
  }

  #watchedSizes(): ReadonlyArray<number> {
    return (this.#knowledge.earlier ?? []).map(({ size }) => size)
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
    const content = cairnContent(event.content)
    if (events.checked === 0 && event.sequence === 1) {
      const subject: Subject = { kind: "event", sequence: 1, id: event.id }
      if (event.content === null) legacy.finishUnknown(subject)
      else legacy.finish(subject, content, event.createdAt)
    }
    events.check(event, hashes[index] ?? NOTHING_FOUND)
    trees.log?.add(leaves, index)
    trees.anchors.event(event, leaves, index)
    const removal = content === undefined ? undefined : removalOf(content)
    if (removal !== undefined) removals.recorded(removal, event.sequence)
  }

  #checkpointLine(checks: Checks, line: EvidenceCheckpoint): void {
    this.#checkpoints++
    const { log } = this.#treesOf(checks)
    this.#finishEvents(checks)
    const frontier = checks.events.complete && log !== null ? log.frontier : null
    this.#checkpoint = checkCheckpoint(checks.checkpoint, line, checks.header.to, frontier)
  }

  #removal({ header, removals }: Checks, { event }: EvidenceRemoval): void {
    this.#removalLines++
    const { sequence, id } = event.header
    const removal = this.#provenRemoval(event, header.workspace_id)
    if (typeof removal !== "string") removals.recorded(removal, sequence)
    else this.#findings.fail("removal_not_in_log", { kind: "event", sequence, id }, removal)
  }

  /** What an event beyond the range records as removed, or why it is not to be believed. */
  #provenRemoval(event: ProvenEvent, workspaceId: string): Removal | string {
    if (this.#checkpoint === undefined) return "There is no checkpoint that shows it to be in the log"
    const checked = verifyProvenEvent(this.#tools.sha256, this.#checkpoint, event)
    if (Result.isFailure(checked)) return `Its proof does not hold: ${checked.failure._tag}`
    if (event.header.workspace_id !== workspaceId) return "It is another workspace's"
    const content = event.content === null ? undefined : parseContent(JSON.stringify(event.content))
    return (content === undefined ? undefined : removalOf(content)) ?? "It records no removal"
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
    } else this.#unreadable = describeCutOff(finished.failure)
  }

  #finishChecks(checks: Checks): void {
    const findings = this.#findings
    this.#finishEvents(checks)
    checks.removals.finish()
    const trees = this.#treesOf(checks)
    trees.anchors.finish(checks.events.lastSequence)
    this.#checkCounts(checks, trees)
    if (this.#checkpoints === 0) this.#noCheckpoint()
    if (trees.log === null && checks.header.from > 1 && checks.events.checked > 0) {
      findings.skip(BUNDLE, "How the range continues the log: there is no prefix")
    }
    const log = {
      header: checks.header,
      tree: checks.events.complete ? trees.log : null,
      checkpoint: this.#checkpoint
    }
    for (const earlier of this.#knowledge.earlier ?? []) checkEarlier(findings, log, earlier)
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

  #checkCounts({ events, legacy }: Checks, { anchors }: Trees): void {
    const end = this.#end
    if (end === undefined) return
    const actual = {
      anchors: anchors.count,
      events: events.checked,
      legacy: legacy.count,
      removals: this.#removalLines
    }
    for (const name of ["anchors", "events", "legacy", "removals"] as const) {
      if (end[name] === actual[name]) continue
      const message = `The closing line counts other ${name} than there are`
      this.#findings.fail("counts_differ", BUNDLE, message, String(end[name]), String(actual[name]))
    }
  }
}

const bundleOf = ({ workspace_id, origin, from, to, created_at }: EvidenceHeader): Report["bundle"] => ({
  workspace_id,
  origin,
  from,
  to,
  created_at
})

const describe = ({ line, reason, detail }: MalformedEvidence): Unreadable => ({
  line,
  message: detail === "" ? reason : `${reason}: ${detail}`
})

const describeCutOff = ({ lines, reason }: EvidenceCutOff): Unreadable => ({
  line: lines + 1,
  message: reason === "within_line" ? "the file ends within a line" : "the file is empty"
})
