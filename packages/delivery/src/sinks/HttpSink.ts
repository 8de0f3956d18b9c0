/** What the HTTP destinations have in common. */
import { Micros } from "@cairn/core/encoding"
import { parseRetryAfter, type SinkAnswer, SinkFailed } from "@cairn/core/outbound"
import { Effect } from "effect"
import type { OutboundAnswer, OutboundHttp, OutboundRequest } from "../outbound/OutboundHttp.ts"
import { connectionFailed } from "./SinkFailure.ts"
import { withoutSecrets } from "./Unsaid.ts"

/** Most bytes of a response that are read: enough for an error message, and what a test shows. */
const KEEP = 1_024

/** When a request counts as acknowledged. */
interface Acknowledgement {
  readonly accepted: (answer: OutboundAnswer) => boolean
  /** Secrets that are masked if the response contains them. */
  readonly secrets: ReadonlyArray<string | null>
}

type Secrets = Acknowledgement["secrets"]

/** What the response says, without secrets. */
const wordsOf = ({ body }: OutboundAnswer, secrets: Secrets): string =>
  withoutSecrets(new TextDecoder().decode(body), secrets, body.length >= KEEP)

const describe = (answer: OutboundAnswer, secrets: Secrets): string => {
  const words = wordsOf(answer, secrets)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
    .slice(0, 200)
  return `the destination returned ${answer.status}${words === "" ? "" : `: ${words}`}`
}

const exchange = (http: OutboundHttp, request: Omit<OutboundRequest, "keep">) =>
  Effect.mapError(http.send({ ...request, keep: KEEP }), connectionFailed)

/** Sends one request and waits for its acknowledgement. */
export const deliver = Effect.fnUntraced(function* (
  http: OutboundHttp,
  request: Omit<OutboundRequest, "keep">,
  { accepted, secrets }: Acknowledgement
) {
  const answer = yield* exchange(http, request)
  if (accepted(answer)) return
  const retryAfter = parseRetryAfter(answer.header("retry-after"), yield* Micros.now)
  return yield* new SinkFailed({ reason: describe(answer, secrets), retryAfter })
})

/** Sends one request, and returns what was said to it. */
export const tryOut = (
  http: OutboundHttp,
  request: Omit<OutboundRequest, "keep">,
  { accepted, secrets }: Acknowledgement
): Effect.Effect<SinkAnswer, SinkFailed> =>
  Effect.map(exchange(http, request), (answer) => ({
    accepted: accepted(answer),
    status: answer.status,
    text: wordsOf(answer, secrets)
  }))

/** Any 2xx. */
export const isSuccess = ({ status }: OutboundAnswer): boolean => status >= 200 && status < 300
