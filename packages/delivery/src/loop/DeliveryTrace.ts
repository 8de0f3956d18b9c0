/** Deliveries as spans of the traces whose events they deliver. The receivers get the trace context. */
import { beginSpan, endSpan, type Tracing, traceparentOf } from "@cairn/core/log"
import { Context, Effect, Exit, Option, Schema } from "effect"

/** The `traceparent` of what is being sent; undefined for what is of no trace. */
export const OutgoingTrace = Context.Reference<string | undefined>("@cairn/delivery/OutgoingTrace", {
  defaultValue: () => undefined
})

/** Most traces that one delivery names beside the first. */
const MOST_LINKS = 32

/** What is delivered. */
interface Delivered<A> {
  readonly channel: "webhook" | "mail" | "stream"
  /** Which events are delivered, or told of; asked for only where any event is of a trace. */
  readonly eventIds: () => Iterable<string>
  /** What became of it, by a word: `delivered` if all went well. */
  readonly outcomeOf: (result: A) => string
}

/**
 * Sends, in a span for the first trace that has any of the events; the others are linked to it. Of no trace,
 * it just sends.
 */
export const traceDelivery = <A, E, R>(
  tracing: (typeof Tracing)["Service"],
  { channel, eventIds, outcomeOf }: Delivered<A>,
  send: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  if (tracing === undefined) return send
  return Effect.suspend(() => {
    const [parent, ...others] = tracing.acceptedBy(eventIds)
    if (parent === undefined) return send
    const links = others.slice(0, MOST_LINKS)
    const span = beginSpan(tracing, { name: `deliver ${channel}`, kind: "client", parent, links })
    return send.pipe(
      Effect.provideService(OutgoingTrace, traceparentOf(span)),
      Effect.onExit((exit) =>
        Effect.sync(() => {
          const outcome = Exit.isSuccess(exit) ? outcomeOf(exit.value) : "not attempted"
          const attributes = { "cairn.channel": channel, "cairn.outcome": outcome }
          endSpan(tracing, span, attributes, outcome === "delivered" ? undefined : outcome)
        })
      )
    )
  })
}

const Told = Schema.Struct({ event_id: Schema.String })
const decodeTold = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Union([Schema.Struct({ data: Told }), Schema.Struct({ alert: Told })]))
)

/** The event that a webhook or a mail tells of: the one that an alert was raised by. */
export const toldEvents = (payload: string): ReadonlyArray<string> =>
  Option.match(decodeTold(payload), {
    onNone: () => [],
    onSome: (told) => ["data" in told ? told.data.event_id : told.alert.event_id]
  })
