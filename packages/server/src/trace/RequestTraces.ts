/** Which requests are traced, and the span of each. */
import { beginSpan, endSpan, Tracing, type TracingShape } from "@cairn/core/log"
import { Clock, Effect, Tracer } from "effect"
import type { Exchange } from "../http/plumbing/Exchange.ts"
import { match } from "../http/plumbing/Routes.ts"
import { readTraceParent, type TraceParent } from "../http/plumbing/TraceContext.ts"
import type { Sampling } from "../settings/TelemetrySettings.ts"

/**
 * Most requests of a second that are traced, whatever clients ask for: so many spans fit in memory while a
 * collector does not answer.
 */
export const MOST_TRACED_A_SECOND = 100

/** As many numbers as there are in the digits of a trace's id that decide. */
const IDS = 2 ** 52

/** Whether a request is traced. Of the ids of traces, the same ones are in every process. */
export const isSampled = (
  { parentBased, ratio }: Sampling,
  parent: TraceParent | undefined,
  random: () => number
): boolean => {
  if (parentBased && parent !== undefined) return parent.sampled
  const place = parent === undefined ? random() : Number.parseInt(parent.traceId.slice(-13), 16) / IDS
  return place < ratio
}

/** What a request asks for: its method, and the template of its path where there is one. */
const nameOf = ({ method, path }: Exchange): string => {
  const found = match(method, path)
  return found.kind === "route" ? `${method} ${found.route.template}` : method
}

/** The traces of requests. */
export class RequestTraces {
  readonly #tracing: TracingShape
  readonly #sampling: Sampling
  readonly #now: () => number
  #second = 0
  #begun = 0

  /** `now` is in milliseconds. */
  constructor(tracing: TracingShape, sampling: Sampling, now: () => number) {
    this.#tracing = tracing
    this.#sampling = sampling
    this.#now = now
  }

  /** Begins the span of a request that has just come, if it is traced. */
  begin(exchange: Exchange): void {
    const parent = readTraceParent(exchange.message.headers.traceparent)
    if (!isSampled(this.#sampling, parent, Math.random) || !this.#hasRoom()) return
    exchange.span = beginSpan(this.#tracing, {
      name: nameOf(exchange),
      kind: "server",
      parent: parent && Tracer.externalSpan(parent)
    })
  }

  /** Ends it with the answer. */
  end({ span, method, route }: Exchange, status: number): void {
    if (span === undefined) return
    const attributes = {
      "http.request.method": method,
      ...(route === "" ? {} : { "http.route": route }),
      "http.response.status_code": status
    }
    endSpan(this.#tracing, span, attributes, status >= 500 ? `answered ${status}` : undefined)
  }

  #hasRoom(): boolean {
    const second = Math.floor(this.#now() / 1_000)
    if (second !== this.#second) {
      this.#second = second
      this.#begun = 0
    }
    return ++this.#begun <= MOST_TRACED_A_SECOND
  }
}

/** Those of the server; undefined where nothing is traced. */
export const makeRequestTraces = Effect.fnUntraced(function* (sampling: Sampling | null) {
  const tracing = yield* Tracing
  const clock = yield* Clock.Clock
  if (tracing === undefined || sampling === null) return undefined
  return new RequestTraces(tracing, sampling, () => clock.currentTimeMillisUnsafe())
})
