/** What is metered of log streams, of all together. */

import { eventsAfter } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import {
  type EventLog,
  LagMeter,
  LOG_METRICS,
  Meters,
  type MetricCounter,
  type StorageUnavailable
} from "@cairn/core/log"
import { Clock, Effect } from "effect"

/** Least microseconds between two looks at how far a stream is behind. */
const LOOK_EVERY: Micros.Micros = 5 * Micros.SECOND

/** The meters of a process's streams. */
export class StreamMeters {
  readonly #batchesSent: MetricCounter
  readonly #batchesFailed: MetricCounter
  readonly #events: MetricCounter
  readonly #failing = new Set<string>()
  readonly lag: LagMeter

  constructor(meters: (typeof Meters)["Service"], now: () => Micros.Micros) {
    this.#batchesSent = meters.counter(LOG_METRICS.streamBatches, { outcome: "sent" })
    this.#batchesFailed = meters.counter(LOG_METRICS.streamBatches, { outcome: "failed" })
    this.#events = meters.counter(LOG_METRICS.streamEvents)
    meters.observed(LOG_METRICS.streamsFailing, () => this.#failing.size)
    const families = { events: LOG_METRICS.streamLagEvents, seconds: LOG_METRICS.streamLagSeconds }
    this.lag = new LagMeter(meters, families, {}, now)
  }

  sent(stream: string, events: number): void {
    this.#batchesSent.value += 1
    this.#events.value += events
    this.#failing.delete(stream)
  }

  failed(stream: string): void {
    this.#batchesFailed.value += 1
    this.#failing.add(stream)
  }

  /** It is not sent any more, or by another process. */
  left(stream: string): void {
    this.#failing.delete(stream)
    this.lag.clear(stream)
  }
}

/** Those of the thread. */
export const makeStreamMeters = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  return new StreamMeters(yield* Meters, () => Micros.fromMillis(clock.currentTimeMillisUnsafe()))
})

/** Looks, now and then, how far a stream is behind its log. */
export type LagLook = (sequence: number, now: Micros.Micros) => Effect.Effect<void, StorageUnavailable>

/** Makes the looks at one stream. */
export const makeLagLook = (
  { lag }: StreamMeters,
  log: EventLog["Service"],
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string }
): LagLook => {
  let lookedAt = Number.NEGATIVE_INFINITY
  const look = Effect.fnUntraced(function* (sequence: number, now: Micros.Micros) {
    lookedAt = now
    const events = eventsAfter(sequence, yield* log.head(workspaceId))
    const [first] = events === 0 ? [] : yield* log.entries(workspaceId, sequence + 1, 1)
    lag.set(id, events, first?.createdAt ?? null, now)
  })
  return (sequence, now) =>
    Effect.suspend(() => (Math.abs(now - lookedAt) < LOOK_EVERY ? Effect.void : look(sequence, now)))
}
