/** What the metrics say of a load, for what a test asks of them. */
import { Meters, type MetricLabels } from "@cairn/core/log"
import { Effect } from "effect"

/**
 * The sum of a family's series that have these labels, or for a histogram how many values there were;
 * undefined while there is no such series.
 */
export const meteredValue = (family: string, labels: MetricLabels = {}) =>
  Effect.map(Meters, (meters) => {
    const found = meters
      .samples()
      .filter(
        ({ name, labels: has }) =>
          name === family && Object.entries(labels).every(([label, value]) => has[label] === value)
      )
    if (found.length === 0) return undefined
    return found.reduce(
      (sum, { state }) =>
        sum +
        (state.type === "histogram" ? state.counts.reduce((all, count) => all + count, 0) : state.value),
      0
    )
  })
