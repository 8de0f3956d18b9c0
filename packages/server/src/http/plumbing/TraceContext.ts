/** The trace that a request is part of, as its client says (W3C Trace Context). */

/** Version, trace, parent and flags; a later version may have more after them. */
const TRACE_PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

const NONE = /^0+$/

/** Longest header that is looked at: later versions may be longer than the first. */
const LONGEST = 512

/** Where a request stands in its trace, as its client says. */
export interface TraceParent {
  readonly traceId: string
  /** The client's span. */
  readonly spanId: string
  /** Whether the client keeps the trace. */
  readonly sampled: boolean
}

/** What a `traceparent` header says; undefined for one that is none. */
export const readTraceParent = (
  header: string | ReadonlyArray<string> | undefined
): TraceParent | undefined => {
  if (typeof header !== "string" || header.length > LONGEST) return undefined
  const [, version, traceId = "", spanId = "", flags = "", more] = TRACE_PARENT.exec(header) ?? []
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined
  if (NONE.test(traceId) || NONE.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
