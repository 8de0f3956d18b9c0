/**
 * Traces: requests that were sampled, on their way through the threads (W3C Trace Context).
 *
 * Nothing of an event, a workspace or a person is in a span. Where nothing is sampled, a request costs the
 * look for its trace, and an append the look whether there is any.
 */
import { Context, Exit, Option, type Tracer } from "effect"

/** What a span is begun with. */
export interface SpanStart {
  readonly name: string
  readonly kind: Tracer.SpanKind
  /** What caused it. */
  readonly parent: Tracer.AnySpan | undefined
  /** What else it does the work of. */
  readonly links?: ReadonlyArray<Tracer.AnySpan>
  /** Nanoseconds since 1970; now unless given. */
  readonly startTime?: bigint
}

/** How the spans of a thread are made, and which events are of a trace. */
export interface TracingShape {
  readonly tracer: Tracer.Tracer
  /** Nanoseconds since 1970. */
  readonly now: () => bigint
  /** Tells the process's threads which span accepts these events, before any of them can see the events. */
  readonly announce: (eventIds: ReadonlyArray<string>, span: Tracer.AnySpan) => void
  /**
   * The spans that have accepted these events, each once: none for events of no trace, and for those that
   * another process has accepted. The ids are asked for only where any event is of a trace.
   */
  readonly acceptedBy: (eventIds: () => Iterable<string>) => ReadonlyArray<Tracer.AnySpan>
}

/** Those of the thread; undefined where there are no traces. */
export const Tracing = Context.Reference<TracingShape | undefined>("@cairn/core/Tracing", {
  defaultValue: () => undefined
})

/** Begins a span. */
export const beginSpan = (
  { tracer, now }: TracingShape,
  { name, kind, parent, links = [], startTime = now() }: SpanStart
): Tracer.Span =>
  tracer.span({
    name,
    kind,
    parent: Option.fromUndefinedOr(parent),
    annotations: Context.empty(),
    links: links.map((span) => ({ span, attributes: {} })),
    startTime,
    root: parent === undefined,
    sampled: true
  })

/** Ends a span, as a failed one if `failure` says so, in words of the program's own. */
export const endSpan = (
  { now }: TracingShape,
  span: Tracer.Span,
  attributes: Readonly<Record<string, string | number>>,
  failure?: string
): void => {
  for (const [name, value] of Object.entries(attributes)) span.attribute(name, value)
  // No error as it was thrown, whose text and stack would be shown.
  span.end(
    now(),
    failure === undefined ? Exit.void : Exit.fail({ name: "Failed", message: failure, stack: "" })
  )
}

/** A span as the header that tells a receiver of it. */
export const traceparentOf = ({ traceId, spanId }: Tracer.AnySpan): string => `00-${traceId}-${spanId}-01`
