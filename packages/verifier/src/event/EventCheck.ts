/** Whether each event is what was hashed, follows the one before it, and none is missing. */

import { eventHash } from "@cairn/core/event"
import type { EvidenceEvent } from "@cairn/core/evidence"
import type { Sha256Shape } from "@cairn/core/hashing"
import type { RemovalCheck } from "../removal/RemovalCheck.ts"
import type { FailureCode, Findings, Subject } from "../report/Finding.ts"
import type { Claim, Obligations } from "../report/Obligations.ts"
import type { FoundHashes } from "./EventHashes.ts"
import type { EventNames } from "./EventNames.ts"

/** What the check depends on. */
interface EventContext {
  readonly sha256: Sha256Shape
  readonly findings: Findings
  readonly obligations: Obligations
  readonly names: EventNames
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

/** Obligations for the events. */
interface Shown {
  links: number
  times: number
  headers: number
  /** Contents that are there, and those that hold. */
  contents: number
  rightContents: number
}

/**
 * Takes the events of a range in the order of the file, with what is known of their hashes; keeps the last
 * event only.
 *
 * If an event was changed, the next one is compared with the hash that it states, not the one it has. So each
 * change is reported once, for the event concerned, and the root shows whether the stated hashes are those of
 * the log.
 */
export class EventCheck {
  readonly #context: EventContext
  readonly #range: Claim
  readonly #shown: Shown = { links: 0, times: 0, headers: 0, contents: 0, rightContents: 0 }
  #preceding: Preceding | undefined
  #firstAt: number | undefined
  #removed = 0
  #checked = 0
  #complete = true

  constructor(context: EventContext) {
    this.#context = context
    this.#range = context.obligations.owe("range")
  }

  /** How many there were. */
  get checked(): number {
    return this.#checked
  }

  /** How many of them have no content. */
  get removed(): number {
    return this.#removed
  }

  /** Whether every event so far stood in its place, so that a tree can be made of them. */
  get complete(): boolean {
    return this.#complete
  }

  /** When the first and the last were recorded; undefined before the first. */
  get period(): { readonly first: number; readonly last: number } | undefined {
    const [first, last] = [this.#firstAt, this.#preceding?.createdAt]
    return first === undefined || last === undefined ? undefined : { first, last }
  }

  /** Sequence of the last; 0 before the first. */
  get lastSequence(): number {
    return this.#preceding?.sequence ?? 0
  }

  /** Checks the next event; `found` is what is known of its hashes. */
  check(event: EvidenceEvent, found: FoundHashes): void {
    const subject: Subject = { kind: "event", sequence: event.sequence, id: event.id }
    this.#checked++
    const before = this.#checkPlace(event, subject)
      ? this.#checkLink(event, subject)
      : event.previousEventHash
    this.#checkHeader(event, before, found.otherHeader, subject)
    this.#checkContent(event, found.otherContent, subject)
    const { sequence, createdAt, eventHash: hash } = event
    this.#firstAt ??= createdAt
    this.#preceding = { sequence, createdAt, eventHash: hash }
  }

  /** Ends the check: there are no more lines. */
  finish(): void {
    const { findings, obligations, from, to } = this.#context
    const last = this.#preceding?.sequence ?? from - 1
    if (last < to) {
      this.#complete = false
      const missing = `Events ${last + 1} to ${to} of the range are missing`
      findings.fail("range_incomplete", { kind: "bundle" }, missing, String(to), String(last))
    }
    if (this.#complete && last === to && this.#checked === to - from + 1) this.#range.discharge()
    const { links, times, headers, contents, rightContents } = this.#shown
    obligations.settle("event_link", this.#checked, links)
    obligations.settle("event_time", Math.max(0, this.#checked - 1), times)
    obligations.settle("event_header", this.#checked, headers)
    obligations.settle("event_content", contents, rightContents)
  }

  #fail(
    code: FailureCode,
    event: EvidenceEvent,
    subject: Subject,
    message: string,
    expected: string | null,
    actual: string | null
  ): void {
    const { findings, names } = this.#context
    findings.fail(code, subject, message, expected, actual, names.of(event))
  }

  /** Says whether the event is the next one. */
  #checkPlace(event: EvidenceEvent, subject: Subject): boolean {
    const { sequence, createdAt } = event
    const { from, to } = this.#context
    const expected = (this.#preceding?.sequence ?? from - 1) + 1
    if (sequence !== expected || sequence > to) this.#complete = false
    if (sequence < expected || sequence > to) {
      const message = `Event ${expected} should be here${sequence > to ? `, and the range ends with ${to}` : ""}`
      this.#fail("event_misplaced", event, subject, message, String(expected), String(sequence))
      return false
    }
    if (sequence > expected) {
      const gap =
        sequence === expected + 1 ? `Event ${expected} is` : `Events ${expected} to ${sequence - 1} are`
      this.#fail(
        "event_missing",
        event,
        subject,
        `${gap} missing before it`,
        String(expected),
        String(sequence)
      )
      return false
    }
    if (this.#preceding === undefined) return true
    if (createdAt > this.#preceding.createdAt) this.#shown.times++
    else
      this.#fail(
        "time_went_back",
        event,
        subject,
        "created_at is not later than that of the event before it",
        null,
        null
      )
    return true
  }

  /** Gives the hash of the event before it, as far as it is known. */
  #checkLink(event: EvidenceEvent, subject: Subject): string | null {
    const { sequence, previousEventHash } = event
    // The first event of a range that begins later is linked through the tree, see `EvidencePrefix`.
    const before = this.#preceding?.eventHash ?? (sequence === 1 ? null : previousEventHash)
    if (previousEventHash !== before || (sequence === 1) !== (before === null)) {
      const message = "previous_event_hash is not the hash of the event before it"
      this.#fail("link_broken", event, subject, message, before, previousEventHash)
    } else this.#shown.links++
    return before
  }

  #checkHeader(event: EvidenceEvent, before: string | null, computed: string | null, subject: Subject): void {
    const { sha256, workspaceId } = this.#context
    if (computed === null) {
      this.#shown.headers++
      return
    }
    // Only the link was changed, which has already been reported.
    const linkOnly = before !== event.previousEventHash
    if (
      linkOnly &&
      eventHash(sha256, { ...event, workspaceId, previousEventHash: before }) === event.eventHash
    ) {
      return
    }
    const message = "Its header does not have the hash it states"
    this.#fail("header_changed", event, subject, message, event.eventHash, computed)
  }

  #checkContent(event: EvidenceEvent, computed: string | null, subject: Subject): void {
    const { content, canonical, salt, contentHash, sequence } = event
    if (content === null || salt === null) {
      this.#removed++
      this.#context.removals.missing(sequence)
      return
    }
    this.#shown.contents++
    if (computed !== null) {
      const message = "The content does not have the hash in the header"
      this.#fail("content_changed", event, subject, message, contentHash, computed)
    } else if (!canonical) {
      this.#fail("content_not_canonical", event, subject, "The content is not canonical JSON", null, null)
    } else this.#shown.rightContents++
  }
}
