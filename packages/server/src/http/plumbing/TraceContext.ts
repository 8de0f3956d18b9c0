/** The trace that a request is part of, as its client says (W3C Trace Context). */

/** Version, trace, parent and flags; a later version may have more after them. */
const TRACE_PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

const NONE = /^0+$/

/** Longest header that is looked at: later versions may be longer than the first. */
const LONGEST = 512

/** The id of the trace in a `traceparent` header; undefined for one that is none. */
export const traceIdOf = (header: string | ReadonlyArray<string> | undefined): string | undefined => {
  if (typeof header !== "string" || header.length > LONGEST) return undefined
  const [, version, traceId = "", parentId = "", more] = TRACE_PARENT.exec(header) ?? []
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined
  return NONE.test(traceId) || NONE.test(parentId) ? undefined : traceId
}
