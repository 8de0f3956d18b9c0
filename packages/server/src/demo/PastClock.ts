/**
 * Working as if it were earlier, so that a log that nobody else writes to yet can begin in the past. Only the
 * demo does, for its own workspace, from within the server: nothing that a client sends is dated by this.
 */
import { Micros } from "@cairn/core/encoding"
import { Acceptance, ClockGuard } from "@cairn/core/log"
import { ApiKeyManagement, ManagementEvents, WorkspaceManagement } from "@cairn/core/management"
import { Clock, Effect, Layer } from "effect"
import { layerManaging } from "../layers/Managing.ts"
import { layerApiKeyHasher } from "../secret/ApiKeyHasher.ts"
import type { OutboundConfig } from "../settings/OutboundSettings.ts"

/** A clock that stands at a time; what sleeps wakes by the one that goes. */
const clockAt = (going: Clock.Clock, at: Micros.Micros): Clock.Clock => {
  const nanos = BigInt(at) * 1000n
  const millis = Math.floor(at / 1000)
  return {
    currentTimeMillisUnsafe: () => millis,
    currentTimeMillis: Effect.succeed(millis),
    currentTimeNanosUnsafe: () => nanos,
    currentTimeNanos: Effect.succeed(nanos),
    monotonicTimeNanosUnsafe: () => going.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: going.monotonicTimeNanos,
    sleep: (duration) => going.sleep(duration)
  }
}

/** Runs an effect as if it were a time. What it accepts is dated so, if the log's end is not later. */
export const asIfAt =
  (at: Micros.Micros) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Clock.Clock, (going) => Effect.provideService(effect, Clock.Clock, clockAt(going, at)))

/** Takes the time from the caller's clock, where the service's own keeps to the present. */
const layerGuard = Layer.succeed(ClockGuard, ClockGuard.of({ now: Micros.now, reckoned: Micros.now }))

/** What {@link layerPast} is made with. */
export interface PastConfig extends OutboundConfig {
  readonly retentionDelayDays: number
  readonly logOrigin: string | null
}

/** Accepting and managing over the ports, dated by the clock of the effect: see {@link asIfAt}. */
const layerPast = ({ retentionDelayDays, logOrigin, ...outbound }: PastConfig) => {
  const retentionDelay = retentionDelayDays * Micros.DAY
  return Layer.mergeAll(
    WorkspaceManagement.layer({ retentionDelay, logOrigin }),
    ApiKeyManagement.layer,
    layerManaging({ ...outbound, retentionDelay })
  ).pipe(
    Layer.provide([ManagementEvents.layer, layerApiKeyHasher]),
    Layer.provideMerge(Acceptance.layer),
    Layer.provide(layerGuard)
  )
}

/** Provides {@link layerPast} to an effect: services of its own, beside those of the server. */
export const inThePast =
  (config: PastConfig) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provide(effect, layerPast(config), { local: true })
