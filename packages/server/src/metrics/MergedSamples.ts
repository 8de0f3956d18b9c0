/** The samples of several threads as those of one process. */
import type { MetricSample, MetricState } from "@cairn/core/log"

const keyOf = ({ name, labels }: MetricSample): string =>
  `${name} ${JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)))}`

/** Counts add up; of two gauges the larger holds, which is the one to worry about. */
const merged = (one: MetricState, other: MetricState): MetricState => {
  if (one.type === "histogram" && other.type === "histogram")
    return {
      type: "histogram",
      counts: one.counts.map((count, bucket) => count + (other.counts[bucket] ?? 0)),
      sum: one.sum + other.sum
    }
  if (one.type === "counter" && other.type === "counter")
    return { type: "counter", value: one.value + other.value }
  if (one.type === "gauge" && other.type === "gauge")
    return { type: "gauge", value: Math.max(one.value, other.value) }
  return one
}

/** One sample for each series. */
export const mergedSamples = (samples: Iterable<MetricSample>): ReadonlyArray<MetricSample> => {
  const series = new Map<string, MetricSample>()
  for (const sample of samples) {
    const key = keyOf(sample)
    const known = series.get(key)
    series.set(key, known === undefined ? sample : { ...sample, state: merged(known.state, sample.state) })
  }
  return [...series.values()]
}
