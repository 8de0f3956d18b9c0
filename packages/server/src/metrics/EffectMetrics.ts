/** What was read of the meters, as Effect's metrics: from there it goes to Prometheus and to OTLP. */
import type { MetricFamily, MetricSample, MetricState } from "@cairn/core/log"
import { Context, Metric } from "effect"
import { FAMILIES } from "./Families.ts"

const families = new Map(FAMILIES.map((family) => [family.name, family]))

/** The buckets as Effect counts them: each with those below it. */
const histogramState = (
  bounds: ReadonlyArray<number>,
  { counts, sum }: Extract<MetricState, { readonly type: "histogram" }>
): Metric.HistogramState => {
  let count = 0
  const buckets = bounds.map((bound, bucket): readonly [number, number] => {
    count += counts[bucket] ?? 0
    return [bound, count]
  })
  // The smallest and the largest are not kept: of a cumulative histogram they say little.
  const first = counts.findIndex((one) => one > 0)
  const last = counts.findLastIndex((one) => one > 0)
  return {
    buckets: buckets.map(([bound, below]) => [bound, below]),
    count: count + (counts[bounds.length] ?? 0),
    sum,
    min: first <= 0 ? 0 : (bounds[first - 1] ?? 0),
    max: last < 0 ? 0 : (bounds[last] ?? bounds.at(-1) ?? 0)
  }
}

const register = (
  context: Context.Context<never>,
  family: MetricFamily,
  { labels, state }: MetricSample
): void => {
  const { name, help, unit, bounds = [] } = family
  const options = {
    description: help,
    attributes: unit === undefined ? labels : { ...labels, unit }
  }
  const nothing = () => {}
  if (state.type === "histogram") {
    const read = histogramState(bounds, state)
    const hooks = { get: () => read, update: nothing, modify: nothing }
    Metric.registerUnsafe(Metric.histogram(name, { ...options, boundaries: bounds }), context, hooks)
  } else if (state.type === "counter") {
    const hooks = { get: () => ({ count: state.value, incremental: true }), update: nothing, modify: nothing }
    Metric.registerUnsafe(Metric.counter(name, { ...options, incremental: true }), context, hooks)
  } else {
    const hooks = { get: () => ({ value: state.value }), update: nothing, modify: nothing }
    Metric.registerUnsafe(Metric.gauge(name, options), context, hooks)
  }
}

/** A registry of Effect's metrics, and the context that exporters read it from. */
export interface PublishedMetrics {
  readonly context: Context.Context<never>
  /** Replaces what was published; a sample of no family is left out. */
  readonly publish: (samples: ReadonlyArray<MetricSample>) => void
}

/** Makes an empty one. */
export const makePublishedMetrics = (): PublishedMetrics => {
  const registry: Metric.MetricRegistry = new Map()
  const context = Context.make(Metric.MetricRegistry, registry) as Context.Context<never>
  return {
    context,
    publish: (samples) => {
      registry.clear()
      for (const sample of samples) {
        const family = families.get(sample.name)
        if (family !== undefined) register(context, family, sample)
      }
    }
  }
}
