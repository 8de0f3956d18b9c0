/** The spans of accepted events, with what traces the steps that follow. */
import { Exit, type Tracer } from "effect"
import type { AcceptExit, InboxRow, PendingEvent } from "../Inbox.ts"
import { beginSpan, endSpan, type TracingShape } from "./Tracing.ts"

/** Begins the span of an acceptance; what is returned ends it. */
export const traceAccept = (
  tracing: TracingShape,
  parent: Tracer.AnySpan,
  events: ReadonlyArray<PendingEvent>
): ((exit: AcceptExit) => void) => {
  const span = beginSpan(tracing, { name: "accept", kind: "producer", parent })
  tracing.announce(
    events.map(({ id }) => id),
    span
  )
  return (exit) =>
    endSpan(
      tracing,
      span,
      { "cairn.events": events.length },
      Exit.isSuccess(exit) ? undefined : "not accepted"
    )
}

/** An append, which is a span in each trace that has events in it. */
export class TracedAppend {
  readonly #tracing: TracingShape
  readonly #startTime: bigint
  /** By the number of the workspace in the append. */
  readonly #found = new Map<number, ReadonlyArray<Tracer.AnySpan>>()

  constructor(tracing: TracingShape) {
    this.#tracing = tracing
    this.#startTime = tracing.now()
  }

  /** These rows are about to be appended. The events of a row are those of one request. */
  note(workspace: number, rows: ReadonlyArray<InboxRow>): void {
    const found = this.#tracing.acceptedBy(() => rows.flatMap(({ events: [first] }) => first?.id ?? []))
    if (found.length > 0) this.#found.set(workspace, found)
  }

  /** The append of a workspace is committed, with this number of events. */
  appended(workspace: number, count: number): void {
    for (const parent of this.#found.get(workspace) ?? []) {
      const startTime = this.#startTime
      const span = beginSpan(this.#tracing, { name: "sequence", kind: "consumer", parent, startTime })
      endSpan(this.#tracing, span, { "cairn.events": count })
    }
  }
}

/** The accepting spans of events, in memory: those of the newest, as many as there is room for. */
export class AcceptedTraces {
  readonly #most: number
  readonly #spans = new Map<string, Tracer.AnySpan>()

  constructor(most: number) {
    this.#most = most
  }

  get isEmpty(): boolean {
    return this.#spans.size === 0
  }

  /** Notes the span of events; the oldest ones make room. */
  note(eventIds: ReadonlyArray<string>, span: Tracer.AnySpan): void {
    for (const id of eventIds) this.#spans.set(id, span)
    for (const oldest of this.#spans.keys()) {
      if (this.#spans.size <= this.#most) return
      this.#spans.delete(oldest)
    }
  }

  /** The spans of these events, each once. */
  of(eventIds: Iterable<string>): ReadonlyArray<Tracer.AnySpan> {
    const found = new Set<Tracer.AnySpan>()
    for (const id of eventIds) {
      const span = this.#spans.get(id)
      if (span !== undefined) found.add(span)
    }
    return [...found]
  }
}
