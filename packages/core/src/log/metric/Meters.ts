/**
 * What operators watch: numbers that are counted as work is done, and read when somebody asks for them.
 *
 * To count is to add to a number. Nothing is formatted, sent or locked until {@link MeterSet.samples} is
 * called, so that a counter may stand where every event passes.
 */
import { Context } from "effect"

/** A family of metrics: one name, one meaning, and a series for each value of its labels. */
export interface MetricFamily {
  /** As Prometheus has it: with its unit and, for a counter, `_total` at the end. */
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  /** What the numbers are, in base units; absent where they have none. */
  readonly unit?: "seconds" | "bytes"
  /** One sentence. */
  readonly help: string
  /** The labels, each with all of its values or, where the build decides those, with words for them. */
  readonly labels: Readonly<Record<string, ReadonlyArray<string> | string>>
  /** The upper bounds of a histogram's buckets, in ascending order, without infinity. */
  readonly bounds?: ReadonlyArray<number>
}

/** The labels of one series. They never hold anything of an event, a workspace, a tenant or a person. */
export type MetricLabels = Readonly<Record<string, string>>

/** What a series says when it is read. Structured clone takes it from thread to thread. */
export type MetricState =
  | { readonly type: "counter" | "gauge"; readonly value: number }
  | {
      readonly type: "histogram"
      /** One for each bound, and one for what is beyond the last; each counts its own bucket alone. */
      readonly counts: ReadonlyArray<number>
      readonly sum: number
    }

/** A series as it was read. */
export interface MetricSample {
  /** The family's name. */
  readonly name: string
  readonly labels: MetricLabels
  readonly state: MetricState
}

/** A number that only grows. */
export class MetricCounter {
  value = 0

  add(count: number): void {
    this.value += count
  }

  get state(): MetricState {
    return { type: "counter", value: this.value }
  }
}

/** How often values fell into each bucket. */
export class MetricHistogram {
  readonly #bounds: ReadonlyArray<number>
  readonly #counts: Array<number>
  #sum = 0

  constructor(bounds: ReadonlyArray<number>) {
    this.#bounds = bounds
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number): void {
    let bucket = 0
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket++
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#sum += value
  }

  get state(): MetricState {
    return { type: "histogram", counts: [...this.#counts], sum: this.#sum }
  }
}

/** What a series shows now; undefined while that is not known, and the series is left out. */
export type MetricReading = () => number | undefined

interface Series {
  readonly name: string
  readonly labels: MetricLabels
  readonly read: () => MetricState | undefined
  readonly meter: MetricCounter | MetricHistogram | undefined
}

const keyOf = ({ name }: MetricFamily, labels: MetricLabels): string =>
  `${name} ${JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)))}`

/**
 * The series of one thread. `counter` and `histogram` return the meter that exists for a family and its
 * labels, so that parts which are built several times count together. `observed` replaces an earlier reading.
 */
export class MeterSet {
  readonly #series = new Map<string, Series>()

  counter(family: MetricFamily, labels: MetricLabels = {}): MetricCounter {
    const key = keyOf(family, labels)
    const known = this.#series.get(key)?.meter
    if (known instanceof MetricCounter) return known
    const meter = new MetricCounter()
    this.#series.set(key, { name: family.name, labels, read: () => meter.state, meter })
    return meter
  }

  histogram(family: MetricFamily, labels: MetricLabels = {}): MetricHistogram {
    const key = keyOf(family, labels)
    const known = this.#series.get(key)?.meter
    if (known instanceof MetricHistogram) return known
    const meter = new MetricHistogram(family.bounds ?? [])
    this.#series.set(key, { name: family.name, labels, read: () => meter.state, meter })
    return meter
  }

  /** A gauge, or a counter that somebody else counts, which is asked when it is read. */
  observed(family: MetricFamily, reading: MetricReading, labels: MetricLabels = {}): void {
    const { name, type } = family
    const kind = type === "counter" ? "counter" : "gauge"
    const read = (): MetricState | undefined => {
      const value = reading()
      return value === undefined || Number.isNaN(value) ? undefined : { type: kind, value }
    }
    this.#series.set(keyOf(family, labels), { name, labels, read, meter: undefined })
  }

  /** Every series as it is now. */
  samples(): ReadonlyArray<MetricSample> {
    return [...this.#series.values()].flatMap(({ name, labels, read }) => {
      const state = read()
      return state === undefined ? [] : [{ name, labels, state }]
    })
  }
}

/** The meters of the thread; those of its process unless a layer provides others. */
export const Meters = Context.Reference<MeterSet>("@cairn/core/Meters", {
  defaultValue: () => new MeterSet()
})
