/** Which bytes of a file a request is for (RFC 9110 section 14). */
import type { IncomingMessage } from "node:http"
import type { FileRange } from "@cairn/core/export"

/** One range: `bytes=0-499`, `bytes=500-` or `bytes=-500`. */
const RANGE = /^bytes=(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))$/i

/** The range that a header names, whether the file has it or not; undefined for anything else. */
const rangeOf = (header: string, size: number): FileRange | undefined => {
  const found = RANGE.exec(header.trim())
  if (found === null) return undefined
  const [, first, last, suffix] = found
  if (suffix !== undefined) return { start: Math.max(0, size - Number(suffix)), end: size }
  const start = Number(first)
  const end = last === undefined ? Math.max(size, start + 1) : Number(last) + 1
  return end <= start ? undefined : { start, end: start < size ? Math.min(end, size) : end }
}

/**
 * The bytes that a request is for: `undefined` for the whole file, `"none"` for a range that it does not
 * have. A header that is malformed, has several ranges or comes with `HEAD` is ignored, and so is one whose
 * `If-Range` is not this very file's.
 */
export const readRange = (
  { method, headers }: Pick<IncomingMessage, "method" | "headers">,
  size: number,
  etag: string
): FileRange | "none" | undefined => {
  const condition = headers["if-range"]
  if (method !== "GET" || headers.range === undefined || (condition !== undefined && condition !== etag))
    return undefined
  const range = rangeOf(headers.range, size)
  if (range === undefined) return undefined
  return range.start < range.end && range.end <= size ? range : "none"
}
