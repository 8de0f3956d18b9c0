/** What the HTTP destinations have in common. */
import { Micros } from "@cairn/core/encoding"
import { parseRetryAfter, SinkFailed } from "@cairn/core/outbound"
import { Effect } from "effect"
import type { OutboundAnswer, OutboundHttp, OutboundRequest } from "../outbound/OutboundHttp.ts"
import { sinkFailed } from "./SinkFailure.ts"

/** Most bytes of a response that are read: enough for an error message. */
const KEEP = 1_024

/** When a request counts as acknowledged. */
interface Acknowledgement {
  readonly accepted: (answer: OutboundAnswer) => boolean
  /** Secrets that are masked if the response contains them. */
  readonly secrets: ReadonlyArray<string | null>
}

const describe = ({ status, body }: OutboundAnswer, secrets: ReadonlyArray<string | null>): string => {
  const said = new TextDecoder().decode(body)
  const safe = secrets.reduce<string>(
    (text, secret) => (secret === null || secret === "" ? text : text.replaceAll(secret, "***")),
    said
  )
  const words = safe
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
    .slice(0, 200)
  return words === "" ? `the destination returned ${status}` : `the destination returned ${status}: ${words}`
}

/** Sends one request and waits for its acknowledgement. */
export const deliver = Effect.fnUntraced(function* (
  http: OutboundHttp,
  request: Omit<OutboundRequest, "keep">,
  { accepted, secrets }: Acknowledgement
) {
  const answer = yield* Effect.mapError(http.send({ ...request, keep: KEEP }), ({ message }) =>
    sinkFailed(message)
  )
  if (accepted(answer)) return
  const retryAfter = parseRetryAfter(answer.header("retry-after"), yield* Micros.now)
  return yield* new SinkFailed({ reason: describe(answer, secrets), retryAfter })
})

/** Any 2xx. */
export const isSuccess = ({ status }: OutboundAnswer): boolean => status >= 200 && status < 300
