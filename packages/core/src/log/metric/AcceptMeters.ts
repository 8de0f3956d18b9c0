/** Counts what becomes of events that are sent to be recorded. */
import { Cause, Exit, Option } from "effect"
import { type AcceptExit, QuotaReached } from "../Inbox.ts"
import { LOG_METRICS } from "./Families.ts"
import type { MeterSet, MetricCounter } from "./Meters.ts"

/** Of a request, what is not among the events that the inbox gets. */
export interface LeftOut {
  /** Items that are invalid. */
  readonly refused: number
  /** Items with the key of one before them. */
  readonly repeats: number
}

/** Why nothing of a request was accepted. */
interface Refusal {
  readonly _tag: string
  /** The items of a batch that was refused as a whole. */
  readonly items?: ReadonlyArray<unknown>
}

/** The counters. */
export class AcceptMeters {
  readonly #accepted: MetricCounter
  readonly #duplicate: MetricCounter
  readonly #invalid: MetricCounter
  readonly #overQuota: MetricCounter
  readonly #inboxFull: MetricCounter
  readonly #unavailable: MetricCounter

  constructor(meters: MeterSet) {
    const counter = (outcome: (typeof LOG_METRICS.received.labels.outcome)[number]) =>
      meters.counter(LOG_METRICS.received, { outcome })
    this.#accepted = counter("accepted")
    this.#duplicate = counter("duplicate")
    this.#invalid = counter("invalid")
    this.#overQuota = counter("over_quota")
    this.#inboxFull = counter("inbox_full")
    this.#unavailable = counter("unavailable")
  }

  /** Counts the inbox's answer for a request with this number of events. */
  answered(exit: AcceptExit, events: number, { refused, repeats }: LeftOut): void {
    this.#invalid.value += refused
    if (Exit.isSuccess(exit)) {
      this.#duplicate.value += repeats
      for (const outcome of exit.value) {
        if (outcome instanceof QuotaReached) this.#overQuota.value += 1
        else if (outcome.duplicate) this.#duplicate.value += 1
        else this.#accepted.value += 1
      }
      return
    }
    const why = Option.getOrUndefined(Cause.findErrorOption(exit.cause))?._tag
    const counters = {
      InboxFull: this.#inboxFull,
      LogClosed: this.#invalid,
      StorageUnavailable: this.#unavailable
    }
    counters[why ?? "StorageUnavailable"].value += events + repeats
  }

  /** A request did not come as far as the inbox. */
  refused({ _tag, items }: Refusal): void {
    if (_tag === "ClockAhead") this.#unavailable.value += 1
    else this.#invalid.value += items?.length ?? 1
  }
}
