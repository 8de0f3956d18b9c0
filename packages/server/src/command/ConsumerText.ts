/** A consumer as the commands show it. */
import { Micros } from "@cairn/core/encoding"
import type { ConsumerStanding } from "@cairn/core/management"

const moment = (micros: Micros.Micros | null): string | null =>
  micros === null ? null : Micros.format(micros)

/** For `--json`. A `sequence` of 0 is before the first event of the chain. */
export const consumerView = ({ position, lag, failing }: ConsumerStanding) => ({
  consumer: position.consumer,
  sequence: Math.max(position.sequence, 0),
  lag,
  paused: position.paused,
  failing:
    failing === null
      ? null
      : {
          reason: failing.reason,
          since: moment(failing.since),
          next_attempt_at: moment(failing.nextAttempt)
        },
  updated_at: Micros.format(position.updatedAt)
})

const stateOf = ({ paused, failing }: ReturnType<typeof consumerView>): string => {
  if (paused) return "paused"
  if (failing === null) return "running"
  const { reason, since, next_attempt_at } = failing
  return `retrying: ${reason} (since ${since ?? "?"}, next try ${next_attempt_at ?? "now"})`
}

/** One line. */
export const consumerLine = (standing: ConsumerStanding): string => {
  const view = consumerView(standing)
  return `${view.consumer}  at ${view.sequence}, ${view.lag} behind  ${stateOf(view)}  ${view.updated_at}`
}
