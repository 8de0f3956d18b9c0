/**
 * Checks a hash chain event by event: it recomputes every hash from the stored content and checks every link,
 * gaps, and the end.
 */
import { Result } from "effect"
import { parseContent } from "../event/EventContent.ts"
import { contentHash, eventHash } from "../event/EventHash.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { EMPTY_HEAD, type Head, type LegacySummary, type LogEntry } from "../log/EventLog.ts"
import { CHAIN_STARTED, extendLegacy, type LegacyCommitment, legacyCommitment } from "../log/LegacyHistory.ts"
import type { IsRemoved } from "../log/RemovalRecords.ts"
import type { Witness } from "./LogWitnesses.ts"
import type { ChainBreak } from "./Verification.ts"

/** The last event that was checked. */
interface Preceding {
  readonly id: string
  readonly sequence: number
  readonly eventHash: string | null
}

/**
 * Checks a chain event by event, in ascending order of sequence, and collects the breaks.
 *
 * Costs two SHA-256 an event. Keeps only the last event and the breaks.
 */
export class ChainCheck {
  readonly breaks: Array<ChainBreak> = []
  /** What is wrong with the last checked event itself, not with its place. */
  #own: ChainBreak | undefined
  /** Whether the last checked event came after one that has a hash and stands before the chain. */
  #isAfterHistory = false
  checked = 0
  #preceding: Preceding | undefined
  #legacy: Head = EMPTY_HEAD
  /** The history according to the log's head before the check began. */
  #headLegacy: Head["legacy"] = null
  readonly #sha256: Sha256Shape
  readonly #workspaceId: string
  readonly #isRemoved: IsRemoved

  /**
   * Begins after `preceding`, or with the first event of the chain. A content may be missing if `isRemoved`
   * returns true for it.
   */
  constructor(
    sha256: Sha256Shape,
    workspaceId: string,
    preceding?: Preceding,
    isRemoved: IsRemoved = () => false
  ) {
    this.#sha256 = sha256
    this.#workspaceId = workspaceId
    this.#preceding = preceding
    this.#isRemoved = isRemoved
  }

  /** The last event that was checked. */
  get last(): Preceding | undefined {
    return this.#preceding
  }

  /**
   * Checks the next event. `hashed` means that its own hashes are known to be right, see {@link
   * HashedEvents}.
   */
  check(event: LogEntry, hashed = false): void {
    if (event.sequence === 1) this.#checkCommitment(event)
    this.checked++
    this.#own = undefined
    const before = this.#preceding?.eventHash ?? null
    const linked =
      event.previousEventHash === before && event.sequence === (this.#preceding?.sequence ?? 0) + 1
    if (!linked) this.#break("chain_break", event.id, before, event.previousEventHash)
    const told = this.breaks.length
    if (!hashed) this.#checkHashes(event, before)
    this.#own = this.breaks[told]
    this.#isAfterHistory = (this.#preceding?.sequence ?? 1) < 1
    this.#preceding = { id: event.id, sequence: event.sequence, eventHash: event.eventHash }
  }

  /**
   * Begins after `preceding`. Its own hash must be right: only then can its place before the range be
   * trusted. `before` is the event that precedes it in the store; the link between these two belongs to a
   * verification that includes `preceding`.
   */
  startAfter(preceding: LogEntry, before: LogEntry | undefined): void {
    this.#checkHashes(preceding, before?.eventHash ?? null)
    this.#preceding = preceding
  }

  /**
   * Leaves what is wrong with the last event itself to the check that begins after it, which will report it.
   * Returns false if nothing else is wrong: a check that reports nothing must not have seen that event. Also
   * false if the event came after one that was put, with a hash, before the chain: a check that begins later
   * does not read that one, and would judge the event's link differently.
   */
  leaveLast(): boolean {
    if (this.#isAfterHistory) return false
    if (this.#own === undefined) return true
    if (this.breaks.length === 1) return false
    this.breaks.splice(this.breaks.indexOf(this.#own), 1)
    this.#own = undefined
    return true
  }

  /** A separate check that continues from here, to look ahead. */
  fork(): ChainCheck {
    const ahead = new ChainCheck(this.#sha256, this.#workspaceId, this.#preceding, this.#isRemoved)
    ahead.#legacy = this.#legacy
    ahead.#headLegacy = this.#headLegacy
    return ahead
  }

  /** The history before the chain as far as it was read, for a check that continues later. */
  get history(): Head {
    return this.#legacy
  }

  /** Continues with a history that was read earlier. */
  continueHistory(history: Head): void {
    this.#legacy = history
  }

  /** Sets the history that the log's head states: there must be at least that. */
  expectHistory({ legacy }: Head): void {
    this.#headLegacy = legacy
  }

  /** Adds a legacy event: it is no link of the chain, but the chain's first event commits to it. */
  checkLegacy(event: LogEntry): void {
    // The hash of a missing content is trusted only if its removal is on record.
    const believed = this.#isRemoved(event.sequence) ? event : { ...event, contentHash: null }
    this.#legacy = extendLegacy(this.#sha256, this.#workspaceId, this.#legacy, [believed])
  }

  /** Compares the history before the chain with what the chain's first event commits to. */
  #checkCommitment(first: LogEntry): void {
    const { legacy: found, createdAt } = this.#legacy
    const content = first.content === null ? undefined : parseContent(first.content)
    const committed = content?.action === CHAIN_STARTED ? (content.metadata ?? {}) : {}
    // If somebody removes the whole history and the content that commits to it, only the head still differs.
    const isStripped = found === null && committed.legacy_events === undefined && this.#headLegacy !== null
    const legacy = isStripped ? this.#headLegacy : found
    const expected = legacy === null ? null : this.#commitmentTo(legacy)
    const intact =
      expected !== undefined &&
      committed.legacy_events === expected?.legacy_events &&
      committed.legacy_merkle_root === expected?.legacy_merkle_root &&
      createdAt < first.createdAt
    if (intact) return
    const actual = committed.legacy_merkle_root
    this.#break(
      "chain_break",
      first.id,
      expected?.legacy_merkle_root ?? null,
      typeof actual === "string" ? actual : null
    )
  }

  /**
   * What the first event must commit to, given a history; undefined if the head's statement of it is invalid,
   * because somebody changed it.
   */
  #commitmentTo(legacy: LegacySummary): LegacyCommitment | undefined {
    return Result.getOrUndefined(Result.try(() => legacyCommitment(this.#sha256, legacy)))
  }

  /**
   * Compares the end that was reached with the furthest event that any witness states. The witnesses were
   * read before the scan began.
   */
  finish(furthest: Witness, headEventId: string | null): void {
    if (furthest.sequence <= 0 || (this.#preceding?.sequence ?? 0) >= furthest.sequence) return
    const id = this.#preceding?.id ?? headEventId ?? ""
    this.#break("chain_break", id, furthest.eventHash, this.#preceding?.eventHash ?? null)
  }

  /**
   * Compares the event at a witness's sequence with the witness. Witnesses that state the same hash are one
   * break.
   */
  checkWitness({ sequence, eventHash: expected }: Witness, event: LogEntry): void {
    if (event.sequence !== sequence || expected === null || event.eventHash === expected) return
    const isSaid = this.breaks.some(
      (one) =>
        one.type === "chain_break" &&
        one.event_id === event.id &&
        one.expected_hash === expected &&
        one.actual_hash === (event.eventHash ?? "")
    )
    if (!isSaid) this.#break("chain_break", event.id, expected, event.eventHash)
  }

  /** The log continues after its head: somebody else appended the last event. */
  beyond(head: Head): void {
    if (this.#preceding === undefined) return
    this.#break("chain_break", this.#preceding.id, head.eventHash, this.#preceding.eventHash)
  }

  /** Records a break if the event is not what was hashed. */
  #checkHashes(event: LogEntry, before: string | null): void {
    const { content, salt } = event
    // A removed content leaves its hash. Without a record of the removal, that is a modification like any
    // other.
    const removed = content === null && salt === null && this.#isRemoved(event.sequence)
    const computedHash = content === null || salt === null ? null : contentHash(this.#sha256, salt, content)
    const hashOfContent = removed ? event.contentHash : computedHash
    const computed = this.#hash(event, hashOfContent ?? "", event.previousEventHash)
    const intact =
      computed === event.eventHash ||
      // Only the link was changed, and that was already reported.
      (event.previousEventHash !== before &&
        this.#hash(event, hashOfContent ?? "", before) === event.eventHash)
    if (!intact) {
      this.#break("hash_mismatch", event.id, computed, event.eventHash)
      return
    }
    if (hashOfContent !== event.contentHash)
      this.#break("hash_mismatch", event.id, hashOfContent, event.contentHash)
  }

  #hash(event: LogEntry, hashOfContent: string, previousEventHash: string | null): string {
    const { id, createdAt, sequence } = event
    const workspaceId = this.#workspaceId
    return eventHash(this.#sha256, {
      contentHash: hashOfContent,
      createdAt,
      id,
      previousEventHash,
      sequence,
      workspaceId
    })
  }

  #break(type: ChainBreak["type"], eventId: string, expected: string | null, actual: string | null): void {
    this.breaks.push({ event_id: eventId, type, expected_hash: expected ?? "", actual_hash: actual ?? "" })
  }
}
