/** What is metered of the verification that the service does by itself. */
import { Clock, Effect } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { LOG_METRICS } from "../log/metric/Families.ts"
import { LagMeter } from "../log/metric/LagMeter.ts"
import { Meters, type MetricCounter } from "../log/metric/Meters.ts"

/** The meters. */
export interface VerificationMeters {
  readonly verified: MetricCounter
  readonly breaks: MetricCounter
  readonly lag: LagMeter
}

/** Those of the thread. */
export const makeVerificationMeters = Effect.gen(function* () {
  const meters = yield* Meters
  const clock = yield* Clock.Clock
  const families = { events: LOG_METRICS.verificationLagEvents, seconds: LOG_METRICS.verificationLagSeconds }
  const now = () => Micros.fromMillis(clock.currentTimeMillisUnsafe())
  return {
    verified: meters.counter(LOG_METRICS.verified),
    breaks: meters.counter(LOG_METRICS.verificationBreaks),
    lag: new LagMeter(meters, families, {}, now)
  } satisfies VerificationMeters
})
