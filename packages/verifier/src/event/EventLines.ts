/**
 * The events of a bundle, checked in chunks: each by itself, as a leaf of the trees, and for what it records
 * of others.
 */
import { type EventContent, parseContent } from "@cairn/core/event"
import type { EvidenceEvent } from "@cairn/core/evidence"
import { removalOf } from "@cairn/core/log"
import type { AnchorCheck } from "../anchor/AnchorCheck.ts"
import { type GrowingTree, leafOf } from "../checkpoint/GrowingTree.ts"
import type { RemovalCheck } from "../removal/RemovalCheck.ts"
import type { Subject } from "../report/Finding.ts"
import type { VerifierTools } from "../tools/VerifierTools.ts"
import type { EventCheck } from "./EventCheck.ts"
import { EventHashes, type FoundEvents } from "./EventHashes.ts"
import type { LegacyCheck } from "./LegacyCheck.ts"

/** Events that are hashed together, at most. */
const BATCH = 64

/** The beginnings of contents that a verifier parses. */
const CAIRN_ACTION = new TextEncoder().encode('{"action":"cairn.')

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Whether the content's action may be one of Cairn's own; only those few contents are parsed. */
const isCairns = (content: Uint8Array): boolean => {
  for (let index = CAIRN_ACTION.length - 1; index >= 0; index--) {
    if (content[index] !== CAIRN_ACTION[index]) return false
  }
  return true
}

/** The trees that events are leaves of, once it is known where they begin. */
export interface Trees {
  /** Null where the events before the range are not accounted for. */
  readonly log: GrowingTree | null
  readonly anchors: AnchorCheck
}

/** What the check of the events depends on. */
interface EventLinesContext {
  readonly tools: VerifierTools
  readonly workspaceId: string
  /** Sequence of the range's first event. */
  readonly from: number
  readonly events: EventCheck
  readonly legacy: LegacyCheck
  readonly removals: RemovalCheck
}

/** Takes the lines of events; keeps those that wait to be checked together. */
export class EventLines {
  readonly #context: EventLinesContext
  readonly #hashes: EventHashes
  #waiting: Array<EvidenceEvent> = []

  constructor(context: EventLinesContext) {
    this.#context = context
    this.#hashes = new EventHashes(context.tools.sha256, context.workspaceId)
  }

  /** Takes the next one. */
  add(event: EvidenceEvent, trees: Trees): void {
    this.#waiting.push(event)
    if (this.#waiting.length === BATCH) this.flush(trees)
  }

  /**
   * Checks the waiting events. Must run before their bytes are overwritten, since contents are views of them.
   */
  flush(trees: Trees): void {
    const events = this.#waiting
    if (events.length === 0) return
    this.#waiting = []
    const found = this.#hashes.of(events)
    for (const [index, event] of events.entries()) this.#check(trees, event, found, index)
  }

  #check(trees: Trees, event: EvidenceEvent, { hashes, leaves }: FoundEvents, index: number): void {
    const { tools, events, from, removals } = this.#context
    if (events.checked === 0 && from > 1 && event.previousEventHash !== null) {
      trees.log?.add(leafOf(tools.sha256, event.previousEventHash))
      trees.anchors.predecessor(event.previousEventHash)
    }
    const content = this.#cairnContent(event)
    if (events.checked === 0 && event.sequence === 1) this.#checkHistory(event, content)
    const hashed = hashes[index]
    if (hashed !== undefined) events.check(event, hashed)
    // No tree is made of misplaced events: its root could not match, and its size could exceed any number.
    if (events.complete) {
      trees.log?.add(leaves, index)
      trees.anchors.event(event, leaves, index)
    }
    const removal = content === undefined ? undefined : removalOf(content)
    if (removal !== undefined) removals.recorded(removal, event.sequence)
  }

  /** Compares the history from before the chain with the chain's first event. */
  #checkHistory(event: EvidenceEvent, content: EventContent | undefined): void {
    const { legacy } = this.#context
    const subject: Subject = { kind: "event", sequence: 1, id: event.id }
    if (event.content === null) legacy.removed(subject)
    else legacy.finish(subject, content, event.createdAt)
  }

  /** The content, if its action is one of Cairn's own. */
  #cairnContent({ content }: EvidenceEvent): EventContent | undefined {
    if (content === null || !isCairns(content)) return undefined
    this.#context.tools.parsed?.(content.length)
    try {
      return parseContent(utf8.decode(content))
    } catch {
      return undefined
    }
  }
}
