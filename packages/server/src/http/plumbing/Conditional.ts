/** Whether a client has what it asks for already (RFC 9110 section 13.1.2). */
import type { IncomingMessage } from "node:http"
import type { Answer, AnswerHeaders } from "./Answer.ts"

/** The tags of a list; what makes them weak does not matter here. */
const TAGS = /"[^"]*"/g

/** What says something of a body, which a `304` does not have. */
const OF_BODY: ReadonlySet<string> = new Set([
  "accept-ranges",
  "content-disposition",
  "content-encoding",
  "content-length",
  "content-range"
])

const withoutBody = (headers: AnswerHeaders): AnswerHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_BODY.has(name)))

/**
 * The answer, or `304` if its tag is among those of `If-None-Match`. `answer` must be as the client likes it
 * best: each coding has a tag of its own. Comes before `Range`, as the RFC says.
 */
export const unlessKnown = (
  { method, headers }: Pick<IncomingMessage, "method" | "headers">,
  answer: Answer
): Answer => {
  const known = headers["if-none-match"]
  const etag = answer.headers?.etag
  if (known === undefined || etag === undefined || (method !== "GET" && method !== "HEAD")) return answer
  const matches = known.trim() === "*" || Array.from(known.matchAll(TAGS)).some(([tag]) => tag === etag)
  return matches ? { ...answer, status: 304, body: "", headers: withoutBody(answer.headers ?? {}) } : answer
}
