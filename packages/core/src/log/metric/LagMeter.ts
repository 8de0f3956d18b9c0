/**
 * How far the followers of the logs are behind them: each is stored by itself, and they are shown together.
 */
import type { Micros } from "../../encoding/Micros.ts"
import { SECOND } from "../../encoding/Micros.ts"
import type { MeterSet, MetricFamily, MetricLabels } from "./Meters.ts"

/** The two families that a lag is shown in. */
export interface LagFamilies {
  /** Events, of all that are behind. */
  readonly events: MetricFamily
  /** Seconds, of the one that is behind the furthest. */
  readonly seconds: MetricFamily
}

interface Behind {
  readonly events: number
  readonly since: Micros
}

/** The lag of one kind of follower. Keeps an entry for each that is behind, and none for the others. */
export class LagMeter {
  readonly #behind = new Map<string, Behind>()

  constructor(meters: MeterSet, families: LagFamilies, labels: MetricLabels, now: () => Micros) {
    meters.observed(
      families.events,
      () => [...this.#behind.values()].reduce((sum, { events }) => sum + events, 0),
      labels
    )
    meters.observed(
      families.seconds,
      () => {
        let oldest = now()
        for (const { since } of this.#behind.values()) oldest = Math.min(oldest, since)
        return Math.max(0, now() - oldest) / SECOND
      },
      labels
    )
  }

  /**
   * Sets how many events a follower is behind. `since` is when the first of them was recorded, or null if it
   * is only known that it was recorded by `at`. With 0 events the follower is no longer behind.
   */
  set(follower: string, events: number, since: Micros | null, at: Micros): void {
    if (events <= 0) this.#behind.delete(follower)
    else this.#behind.set(follower, { events, since: since ?? this.#behind.get(follower)?.since ?? at })
  }

  /** It has caught up, is paused, or is gone. */
  clear(follower: string): void {
    this.#behind.delete(follower)
  }
}
