/** Whether the history from before the chain is the one that the chain's first event commits to. */
import {
  CHAIN_STARTED,
  type EventContent,
  type EvidenceLegacy,
  emptyFrontier,
  eventHash,
  FIRST_LEGACY_SEQUENCE,
  frontierRoot,
  type Sha256Shape,
  toHex
} from "@cairn/core"
import type { ContentHasher } from "./ContentHasher.ts"
import type { Findings, Subject } from "./Finding.ts"
import { GrowingTree, leafOf } from "./GrowingTree.ts"
import type { RemovalCheck } from "./RemovalCheck.ts"

/** What the check needs of its surroundings. */
export interface LegacyContext {
  readonly sha256: Sha256Shape
  readonly hasher: ContentHasher
  readonly findings: Findings
  readonly removals: RemovalCheck
  readonly workspaceId: string
}

/** Takes the legacy events in order, then the chain's first event. Three SHA-256 an event. */
export class LegacyCheck {
  readonly #context: LegacyContext
  readonly #tree: GrowingTree
  /** Sequence of the last. */
  #last = FIRST_LEGACY_SEQUENCE - 1
  #createdAt = Number.NEGATIVE_INFINITY

  constructor(context: LegacyContext) {
    this.#context = context
    this.#tree = new GrowingTree(context.sha256, emptyFrontier)
  }

  /** How many there were. */
  get count(): number {
    return this.#tree.size
  }

  check(line: EvidenceLegacy): void {
    const { sha256, hasher, findings, removals, workspaceId } = this.#context
    const subject: Subject = { kind: "event", sequence: line.sequence, id: line.id }
    const expected = this.#last + 1
    this.#last = line.sequence
    if (line.sequence !== expected) {
      findings.fail(
        "legacy_changed",
        subject,
        "The event does not follow the one before it",
        String(expected),
        String(line.sequence)
      )
    }
    if (line.createdAt <= this.#createdAt) {
      findings.fail("time_went_back", subject, "created_at is not later than the event's before")
    }
    this.#createdAt = line.createdAt
    if (!line.canonical) findings.fail("content_not_canonical", subject, "The content is not canonical JSON")
    const computed = line.content === null || line.salt === null ? null : hasher.hash(line.salt, line.content)
    if (computed === null) removals.missing(line.sequence)
    else if (line.contentHash !== null && line.contentHash !== computed) {
      findings.fail(
        "content_changed",
        subject,
        "The content does not have the hash it should have",
        line.contentHash,
        computed
      )
    }
    const hash = eventHash(sha256, {
      contentHash: computed ?? line.contentHash ?? "",
      createdAt: line.createdAt,
      id: line.id,
      previousEventHash: null,
      sequence: line.sequence,
      workspaceId
    })
    this.#tree.add(leafOf(sha256, hash))
  }

  /** The chain's first event has no content any more, so nothing says what came before it. */
  finishUnknown(subject: Subject): void {
    if (this.count === 0) return
    const message = `${this.count} events from before the chain: the content that commits to them was removed`
    this.#context.findings.skip(subject, message)
  }

  /** Holds the history against the chain's first event; its content if it is one of Cairn's own. */
  finish(subject: Subject, content: EventContent | undefined, createdAt: number): void {
    const { findings, sha256 } = this.#context
    const { count } = this
    const committed = content?.action === CHAIN_STARTED ? content.metadata : null
    const claimed = committed?.legacy_events ?? 0
    if (count === 0 && claimed === 0) return
    if (count === 0) {
      findings.skip(
        subject,
        `${claimed} events from before the chain: they are not in the bundle`,
        "ask for a bundle with history"
      )
      return
    }
    const root = toHex(frontierRoot(sha256, this.#tree.frontier))
    const expected = committed?.legacy_merkle_root
    if (claimed !== count || expected !== root || this.#createdAt >= createdAt) {
      const message = `The chain begins after ${claimed} earlier events, and these ${count} are not them`
      findings.fail("legacy_changed", subject, message, typeof expected === "string" ? expected : null, root)
      return
    }
    findings.prove(subject, `${count} events from before the chain are those that the chain began after`)
  }
}
