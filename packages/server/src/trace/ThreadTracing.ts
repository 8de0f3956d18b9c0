/**
 * The traces of a thread: it pushes its own spans, and hears from the main thread which span accepted which
 * events.
 */
import { type BroadcastChannel, receiveMessageOnPort } from "node:worker_threads"
import { AcceptedTraces, Tracing, type TracingShape } from "@cairn/core/log"
import { Clock, Effect, Layer, Schema, Tracer } from "effect"
import { OtlpExporter, OtlpTracer } from "effect/observability"
import { layerOtlp, otlpOptions } from "../metrics/Otlp.ts"
import type { OtlpTarget } from "../settings/TelemetrySettings.ts"
import { processChannel } from "../thread/ProcessChannel.ts"

/** How often spans are pushed. */
const PUSH_EVERY = "5 seconds"
/** Most spans of one push; when there are as many, they are pushed at once. */
const MOST_SPANS = 512
/** Most events of which a thread knows the trace. */
const MOST_EVENTS = 10_000
/** Most events of one request of which the trace is known, in the order of the request. */
const MOST_OF_REQUEST = 100

const Announcement = Schema.Struct({
  eventIds: Schema.Array(Schema.String),
  traceId: Schema.String,
  spanId: Schema.String
})
const isAnnouncement = Schema.is(Announcement)

/** What the channel has brought, without waiting for a turn of the event loop. */
const arrivals = (channel: BroadcastChannel) =>
  function* (): Generator<unknown> {
    for (
      let next = receiveMessageOnPort(channel as never);
      next;
      next = receiveMessageOnPort(channel as never)
    )
      yield next.message
  }

const makeThreadTracing = Effect.fnUntraced(function* (target: OtlpTarget, name: string) {
  const clock = yield* Clock.Clock
  const channel = yield* processChannel(name)
  const accepted = new AcceptedTraces(MOST_EVENTS)
  const note = (message: unknown): void => {
    if (!isAnnouncement(message)) return
    const { eventIds, traceId, spanId } = message
    accepted.note(eventIds, Tracer.externalSpan({ traceId, spanId }))
  }
  channel.onmessage = (event: unknown) => note((event as MessageEvent).data)
  const arrived = arrivals(channel)
  const tracer = yield* OtlpTracer.make({
    ...otlpOptions(target),
    exportInterval: PUSH_EVERY,
    maxBatchSize: MOST_SPANS
  })
  return {
    tracer,
    now: () => clock.currentTimeNanosUnsafe(),
    announce: (eventIds, { traceId, spanId }) =>
      channel.postMessage({ eventIds: eventIds.slice(0, MOST_OF_REQUEST), traceId, spanId }),
    // An event may be here before its announcement has had its turn of the event loop.
    acceptedBy: (eventIds) => {
      for (const message of arrived()) note(message)
      return accepted.isEmpty ? [] : accepted.of(eventIds())
    }
  } satisfies TracingShape
})

/** Tracing in this thread, on the channel of its process. */
export const layerThreadTracing = (target: OtlpTarget, channel: string) =>
  Layer.effect(Tracing, makeThreadTracing(target, channel)).pipe(
    Layer.provide(OtlpExporter.layerFlusher),
    Layer.provide(layerOtlp("traces", target))
  )
