/** Whether each event is what was hashed, follows the one before it, and none is missing. */
import { type EvidenceEvent, eventHash, type Sha256Shape } from "@cairn/core"
import type { ContentHasher } from "./ContentHasher.ts"
import type { FoundHashes } from "./EventHashes.ts"
import type { Findings, Subject } from "./Finding.ts"
import type { RemovalCheck } from "./RemovalCheck.ts"

/** What the check needs of its surroundings. */
export interface EventContext {
  readonly sha256: Sha256Shape
  readonly hasher: ContentHasher
  readonly findings: Findings
  readonly removals: RemovalCheck
  readonly workspaceId: string
  /** Sequences of the range's first and last event. */
  readonly from: number
  readonly to: number
}

/** The event that was checked last. */
interface Preceding {
  readonly sequence: number
  readonly createdAt: number
  readonly eventHash: string
}

/**
 * Takes the events of a range in the order of the file, with what is known of their hashes; keeps the last event only.
 *
 * Where an event was changed, what follows is held against the hash it states, not the one it has: so each change is told once,
 * of the event it was made to, and the root tells whether the stated hashes are those of the log.
 */
export class EventCheck {
  readonly #context: EventContext
  #preceding: Preceding | undefined
  #checked = 0
  #complete = true

  constructor(context: EventContext) {
    this.#context = context
  }

  /** How many there were. */
  get checked(): number {
    return this.#checked
  }

  /** Whether every event so far stood in its place, so that a tree can be made of them. */
  get complete(): boolean {
    return this.#complete
  }

  /** Sequence of the last; 0 before the first. */
  get lastSequence(): number {
    return this.#preceding?.sequence ?? 0
  }

  /** Checks the next event; `found` is what is known of its hashes, and what is not is looked into. */
  check(event: EvidenceEvent, found: FoundHashes): void {
    const subject: Subject = { kind: "event", sequence: event.sequence, id: event.id }
    this.#checked++
    const before = this.#checkPlace(event, subject)
      ? this.#checkLink(event, subject)
      : event.previousEventHash
    if (!found.header) this.#checkHeader(event, before, subject)
    this.#checkContent(event, found.content, subject)
    const { sequence, createdAt, eventHash: hash } = event
    this.#preceding = { sequence, createdAt, eventHash: hash }
  }

  /** There is no more to come. */
  finish(): void {
    const { findings, from, to } = this.#context
    const last = this.#preceding?.sequence ?? from - 1
    if (last < to) {
      this.#complete = false
      const missing = `Events ${last + 1} to ${to} of the range are missing`
      findings.fail("range_incomplete", { kind: "bundle" }, missing, String(to), String(last))
    }
  }

  /** Says whether the event is the next one. */
  #checkPlace({ sequence, createdAt }: EvidenceEvent, subject: Subject): boolean {
    const { findings, from, to } = this.#context
    const expected = (this.#preceding?.sequence ?? from - 1) + 1
    if (sequence !== expected || sequence > to) this.#complete = false
    if (sequence < expected || sequence > to) {
      const message = `Event ${expected} should stand here${sequence > to ? `, and the range ends with ${to}` : ""}`
      findings.fail("event_misplaced", subject, message, String(expected), String(sequence))
      return false
    }
    if (sequence > expected) {
      const gap =
        sequence === expected + 1 ? `Event ${expected} is` : `Events ${expected} to ${sequence - 1} are`
      findings.fail("event_missing", subject, `${gap} missing before it`, String(expected), String(sequence))
      return false
    }
    if (this.#preceding !== undefined && createdAt <= this.#preceding.createdAt) {
      findings.fail("time_went_back", subject, "created_at is not later than the event's before")
    }
    return true
  }

  /** Gives the hash of the event before it, as far as it is known. */
  #checkLink({ sequence, previousEventHash }: EvidenceEvent, subject: Subject): string | null {
    const { findings } = this.#context
    // The first event of a range that begins later is linked through the tree, see `EvidencePrefix`.
    const before = this.#preceding?.eventHash ?? (sequence === 1 ? null : previousEventHash)
    if (previousEventHash !== before || (sequence === 1) !== (before === null)) {
      const message = "previous_event_hash is not the hash of the event before it"
      findings.fail("link_broken", subject, message, before, previousEventHash)
    }
    return before
  }

  #checkHeader(event: EvidenceEvent, before: string | null, subject: Subject): void {
    const { sha256, findings, workspaceId } = this.#context
    const computed = eventHash(sha256, { ...event, workspaceId })
    if (computed === event.eventHash) return
    // Only the link was changed, and that is already said.
    const linkOnly = before !== event.previousEventHash
    if (
      linkOnly &&
      eventHash(sha256, { ...event, workspaceId, previousEventHash: before }) === event.eventHash
    ) {
      return
    }
    const message = "Its header does not have the hash it states"
    findings.fail("header_changed", subject, message, event.eventHash, computed)
  }

  #checkContent(
    { content, canonical, salt, contentHash, sequence }: EvidenceEvent,
    hashed: boolean,
    subject: Subject
  ): void {
    const { hasher, findings, removals } = this.#context
    if (content === null || salt === null) {
      removals.missing(sequence)
      return
    }
    const computed = hashed ? contentHash : hasher.hash(salt, content)
    if (computed !== contentHash) {
      const message = "The content does not have the hash that was chained"
      findings.fail("content_changed", subject, message, contentHash, computed)
    } else if (!canonical) {
      findings.fail("content_not_canonical", subject, "The content is not canonical JSON")
    }
  }
}
