/** Pausing, resuming and replaying a consumer of a log. */

import { Context, Effect, Layer, Option } from "effect"
import { ALERT_CONSUMER } from "../alert/AlertConsumer.ts"
import { SIGNED_CONSUMER } from "../checkpoint/SignedMemory.ts"
import { type ConsumerLag, consumerLags, eventsAfter } from "../consumer/ConsumerRunner.ts"
import { BEFORE_FIRST_EVENT, Consumers } from "../consumer/Consumers.ts"
import * as Micros from "../encoding/Micros.ts"
import { InvalidInput } from "../event/InvalidInput.ts"
import { EventLog } from "../log/EventLog.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { LogStreams, streamConsumer } from "../outbound/LogStreams.ts"
import { CHECKPOINT_CONSUMER } from "../outbound/ScheduledCheckpoints.ts"
import {
  STREAM_CHECKPOINTS_KEY,
  STREAM_HEALTH_KEY,
  type StreamFailure,
  streamFailure
} from "../outbound/StreamHealth.ts"
import { ManagementEvents, type Manager } from "./ManagementEvent.ts"
import { NotFound } from "./NotFound.ts"

/** A consumer, how far behind its log it is, and how it fails. */
export interface ConsumerStanding extends ConsumerLag {
  /** Only for a log stream that is on and whose destination fails; null for all others. */
  readonly failing: StreamFailure | null
}

/** What the use cases need. */
const loadServices = Effect.gen(function* () {
  const consumers = yield* Consumers
  const log = yield* EventLog
  const streams = yield* LogStreams
  const events = yield* ManagementEvents
  const context = yield* Effect.context<Consumers | EventLog>()
  return { consumers, log, streams, events, context }
})
type Services = Effect.Success<typeof loadServices>

/** Adds how the log streams among some consumers fail. */
const withFailures = (services: Services) => (workspaceId: string, lags: ReadonlyArray<ConsumerLag>) =>
  Effect.gen(function* () {
    const streams = yield* services.streams.list(workspaceId)
    const on = new Set(streams.flatMap(({ id, settings }) => (settings.enabled ? [streamConsumer(id)] : [])))
    return yield* Effect.forEach(
      lags,
      Effect.fnUntraced(function* (lag) {
        const { consumer } = lag.position
        if (!on.has(consumer)) return { ...lag, failing: null }
        const keys = [STREAM_HEALTH_KEY, STREAM_CHECKPOINTS_KEY]
        const rows = yield* services.consumers.rows({ workspaceId, consumer }, keys)
        return { ...lag, failing: streamFailure(rows) } satisfies ConsumerStanding
      })
    )
  })

const list =
  (services: Services) =>
  (workspaceId: string): Effect.Effect<ReadonlyArray<ConsumerStanding>, StorageUnavailable> =>
    Effect.flatMap(Effect.provide(consumerLags(workspaceId), services.context), (lags) =>
      withFailures(services)(workspaceId, lags)
    )

const find = (services: Services) =>
  Effect.fnUntraced(function* (workspaceId: string, consumer: string) {
    if (consumer === SIGNED_CONSUMER) {
      return yield* new InvalidInput({
        path: "consumer",
        reason: "this consumer keeps what was signed: it cannot be paused, resumed or replayed"
      })
    }
    const found = (yield* services.consumers.list(workspaceId)).find(
      (position) => position.consumer === consumer
    )
    return found ?? (yield* new NotFound({ what: "consumer", id: consumer }))
  })

const record =
  (services: Services) =>
  (by: Manager, workspaceId: string, consumer: string, action: string, metadata: Record<string, unknown>) =>
    services.events.record(by, {
      workspaceId,
      action: `cairn.consumer.${action}`,
      resource: { type: "consumer", id: consumer, name: null },
      metadata
    })

/** The consumer as it is now, with its lag. */
const standing = (services: Services) =>
  Effect.fnUntraced(function* (workspaceId: string, consumer: string) {
    const position = yield* find(services)(workspaceId, consumer)
    const lag: ConsumerLag = {
      position,
      lag: eventsAfter(position.sequence, yield* services.log.head(workspaceId))
    }
    const [found] = yield* withFailures(services)(workspaceId, [lag])
    return found ?? { ...lag, failing: null }
  })

const halt = (services: Services) => (paused: boolean) =>
  Effect.fnUntraced(function* (by: Manager, workspaceId: string, consumer: string) {
    const before = yield* find(services)(workspaceId, consumer)
    if (before.paused !== paused) {
      yield* record(services)(by, workspaceId, consumer, paused ? "paused" : "resumed", {
        sequence: before.sequence
      })
      const key = { workspaceId, consumer }
      const at = yield* Micros.now
      yield* paused ? services.consumers.pause(key, at) : services.consumers.resume(key, at)
    }
    return yield* standing(services)(workspaceId, consumer)
  })

/** Moves it back to the event with a sequence, or to the first event if that is null. */
const replay = (services: Services) =>
  Effect.fn("ConsumerManagement.replay")(function* (
    by: Manager,
    workspaceId: string,
    consumer: string,
    from: number | null
  ) {
    if (from !== null && consumer === ALERT_CONSUMER) {
      // A cooldown or a window that began before would be forgotten, and different alerts raised than those
      // in the log.
      return yield* new InvalidInput({ path: "from", reason: "alerts are replayed from the first event on" })
    }
    if (consumer === CHECKPOINT_CONSUMER) {
      return yield* new InvalidInput({
        path: "consumer",
        reason: "what was signed is not signed again; GET /api/v1/checkpoints lists it"
      })
    }
    const before = yield* find(services)(workspaceId, consumer)
    yield* record(services)(by, workspaceId, consumer, "replayed", { sequence: before.sequence, from })
    const after = from === null ? BEFORE_FIRST_EVENT : from - 1
    const moved = yield* services.consumers.replay({ workspaceId, consumer }, after, yield* Micros.now)
    if (Option.isNone(moved)) return yield* new NotFound({ what: "consumer", id: consumer })
    return yield* standing(services)(workspaceId, consumer)
  })

const make = Effect.map(loadServices, (services) => ({
  list: list(services),
  pause: halt(services)(true),
  resume: halt(services)(false),
  replay: replay(services)
}))

/** The use cases. Each records the change in the workspace's log, and makes it. */
export class ConsumerManagement extends Context.Service<ConsumerManagement, Effect.Success<typeof make>>()(
  "@cairn/core/ConsumerManagement"
) {
  static readonly layer = Layer.effect(ConsumerManagement, make)
}
