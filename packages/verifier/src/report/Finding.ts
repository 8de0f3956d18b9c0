/**
 * What a verification finds: what does not hold, what is proven, and what could not be checked, each with
 * what it concerns.
 */
import type { ChainBreak } from "@cairn/core/verification"
import type { EventName } from "../event/EventNames.ts"

/** What a finding concerns. */
export type Subject =
  | { readonly kind: "bundle" }
  | { readonly kind: "event"; readonly sequence: number; readonly id: string | null }
  | { readonly kind: "anchor"; readonly id: string }
  | { readonly kind: "checkpoint"; readonly size: number | null }

/** The bundle as a whole. */
export const BUNDLE: Subject = { kind: "bundle" }

/** What can be wrong. Each is one kind of change; the names are stable. */
export type FailureCode =
  /** The content is not the one that was hashed. */
  | "content_changed"
  /** The content is written in a form that Cairn never accepts. */
  | "content_not_canonical"
  /** The content is missing, and no event of the log records its removal. */
  | "content_missing"
  /** A field of the header is not the one that was hashed. */
  | "header_changed"
  /** The event does not follow the one before it: `previous_event_hash` is another event's. */
  | "link_broken"
  /** Events before this one are missing. */
  | "event_missing"
  /** The event stands where its sequence does not belong, or twice. */
  | "event_misplaced"
  /** `created_at` is not later than the event's before. */
  | "time_went_back"
  /** History from before the chain is not what the chain's first event commits to. */
  | "legacy_changed"
  /** The chain's first event commits to a history from before it that is not there. */
  | "legacy_missing"
  /** The bundle does not hold the range it says it holds. */
  | "range_incomplete"
  /** The counts of the closing line are wrong. */
  | "counts_differ"
  /** The closing line is missing. */
  | "cut_off"
  /** The prefix is missing: nothing states what precedes the range. */
  | "prefix_missing"
  /**
   * The frontiers before the range cannot be those of any log, or begin another period than the anchor that
   * spans its edge.
   */
  | "prefix_malformed"
  /** There is none, and the auditor gave a key that should have signed one. */
  | "checkpoint_missing"
  /** The checkpoint is no signed note with a checkpoint in it. */
  | "checkpoint_malformed"
  /** It is another log's. */
  | "checkpoint_of_another_log"
  /** No trusted key signed it, or the signature of a trusted key is invalid. */
  | "checkpoint_not_signed"
  /** Its root is not that of the events, or the way to it does not lead there. */
  | "checkpoint_root_differs"
  /** It covers fewer events than the bundle. */
  | "checkpoint_behind"
  /** The log is not a continuation of the one that an earlier checkpoint was signed for. */
  | "checkpoint_inconsistent"
  /** An event that is said to record a removal is not in the log, or stands there twice. */
  | "removal_not_in_log"
  /** The root over the period's events is not the anchor's. */
  | "anchor_root_differs"
  /** Its number of events, or the first or last of them, are not those of the period. */
  | "anchor_events_differ"
  /** `previous_anchor_hash` is not that of the anchor before it. */
  | "anchor_link_broken"
  /** Events lie between two anchors, or before the first, that belong to none: an anchor is missing. */
  | "anchor_missing"
  /** It stands where its period does not end. */
  | "anchor_misplaced"
  /** Its events were not recorded within its period. */
  | "anchor_period_differs"
  /** Its fields contradict each other. */
  | "anchor_malformed"
  /** The transaction does not have the hash, or there is none, or there are several. */
  | "transaction_differs"
  /** It cannot be read. */
  | "transaction_malformed"
  /** It was not sent by the account that anchors, or not to itself without value. */
  | "transaction_sender"
  /** It is of another chain. */
  | "transaction_chain"
  /** It does not carry this log's root and the hash of the anchor before. */
  | "transaction_payload"
  /** The proof does not show the transaction in the block. */
  | "block_proof"
  /** The block's number is not the anchor's, or its time lies before the period's end. */
  | "block_differs"
  /** The block's hash is not the one that was looked up. */
  | "block_hash_differs"
  /** Something of the earlier bundle is different in the later one. */
  | "changed_since"
  /** Something of the earlier bundle is not in the later one. */
  | "dropped_since"
  /** The two bundles, or the event and what is known of its log, are not of one log. */
  | "another_log"
  /** What is shown of an event is not what was hashed. */
  | "event_differs"
  /** The event's proof does not lead to the checkpoint's root. */
  | "event_not_in_log"
  /** The event's proof does not lead to the anchor's root. */
  | "event_not_in_anchor"
  /** A required check was not made, so nothing shows that it holds. */
  | "not_shown"

/**
 * What the interface, webhooks and mails call a failure, see `ChainBreak`: those that concern an event or the
 * chain.
 */
const BREAK_TYPES: Readonly<Partial<Record<FailureCode, ChainBreak["type"]>>> = {
  content_changed: "hash_mismatch",
  content_not_canonical: "hash_mismatch",
  content_missing: "hash_mismatch",
  header_changed: "hash_mismatch",
  event_differs: "hash_mismatch",
  link_broken: "chain_break",
  event_missing: "chain_break",
  event_misplaced: "chain_break",
  legacy_changed: "chain_break",
  legacy_missing: "chain_break",
  range_incomplete: "chain_break",
  changed_since: "hash_mismatch",
  dropped_since: "chain_break"
}

/** Something that does not hold. */
export interface Failure {
  readonly code: FailureCode
  /** The corresponding type of `GET /verify`; null for what that does not check. */
  readonly type: ChainBreak["type"] | null
  readonly subject: Subject
  /** One sentence for a human. */
  readonly message: string
  readonly expected: string | null
  readonly actual: string | null
  /** Who did what and when, if it concerns an event whose line is there. */
  readonly event: EventName | null
}

/** Something that holds, no matter who made the bundle. */
export interface Proof {
  readonly subject: Subject
  readonly message: string
}

/** Something that neither the bundle nor what the auditor gave could show. */
export interface Unchecked {
  readonly subject: Subject
  readonly message: string
  /** How it could be checked; null where it could not. */
  readonly remedy: string | null
}

/**
 * Findings of each sort that are listed; the others are counted, so that a file of ten million wrong events
 * takes no more memory.
 */
export const MAX_LISTED_FINDINGS = 10_000

/**
 * The findings of a report. Each list holds the first {@link MAX_LISTED_FINDINGS}; what failed has the first
 * of each code besides.
 */
export interface FindingLists {
  /** How many things failed, listed or not. */
  readonly failures: number
  readonly failed: ReadonlyArray<Failure>
  /** The same by what is wrong. */
  readonly failures_by_code: Readonly<Partial<Record<FailureCode, number>>>
  readonly proven: ReadonlyArray<Proof>
  readonly not_checked: ReadonlyArray<Unchecked>
  /** How many of the proven things are not listed. */
  readonly unlisted_proven: number
  /** How many things were not checked and are not listed. */
  readonly unlisted_not_checked: number
}

/** The first of many, and how many there were. */
class Listed<A> {
  readonly items: Array<A> = []
  count = 0

  get unlisted(): number {
    return this.count - this.items.length
  }

  /** `always`: it is listed, whatever there is. */
  push(item: A, always = false): void {
    this.count++
    if (always || this.items.length < MAX_LISTED_FINDINGS) this.items.push(item)
  }
}

/** Gathers findings. */
export class Findings {
  readonly #failed = new Listed<Failure>()
  readonly #byCode: Partial<Record<FailureCode, number>> = {}
  readonly #proven = new Listed<Proof>()
  readonly #notChecked = new Listed<Unchecked>()

  /** How many things failed, listed or not. */
  get failures(): number {
    return this.#failed.count
  }

  /** All of it. */
  get lists(): FindingLists {
    return {
      failures: this.#failed.count,
      failed: this.#failed.items,
      failures_by_code: this.#byCode,
      proven: this.#proven.items,
      not_checked: this.#notChecked.items,
      unlisted_proven: this.#proven.unlisted,
      unlisted_not_checked: this.#notChecked.unlisted
    }
  }

  fail(
    code: FailureCode,
    subject: Subject,
    message: string,
    expected: string | null = null,
    actual: string | null = null,
    event: EventName | null = null
  ): void {
    const type = subject.kind === "event" || subject.kind === "bundle" ? (BREAK_TYPES[code] ?? null) : null
    const before = this.#byCode[code] ?? 0
    this.#byCode[code] = before + 1
    this.#failed.push({ code, type, subject, message, expected, actual, event }, before === 0)
  }

  prove(subject: Subject, message: string): void {
    this.#proven.push({ subject, message })
  }

  skip(subject: Subject, message: string, remedy: string | null = null): void {
    this.#notChecked.push({ subject, message, remedy })
  }
}

/** A time in seconds since the Unix epoch, for a message; the number itself if it is beyond any calendar. */
export const sayMoment = (seconds: number): string => {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? `second ${seconds}` : date.toISOString()
}
