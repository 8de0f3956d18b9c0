/** Sends webhooks: signed in both formats, one attempt at a time, with a full record of each. */
import { Micros } from "@cairn/core/encoding"
import { Sha256 } from "@cairn/core/hashing"
import {
  type OutboundRefused,
  parseRetryAfter,
  SIGNATURE_HEADER,
  signStandardWebhook,
  webhookSignature
} from "@cairn/core/outbound"
import { Context, Effect, Layer, Result } from "effect"
import { startTimer } from "../outbound/Elapsed.ts"
import { OutboundGuard } from "../outbound/OutboundGuard.ts"
import { type OutboundAnswer, type OutboundFailed, openOutboundHttp } from "../outbound/OutboundHttp.ts"

/** An attempt ends after this many milliseconds. */
const WEBHOOK_TIMEOUT = 15_000
/** Most bytes of a response that are kept. */
const WEBHOOK_ANSWER_BYTES = 1_024

/** Where a message goes. */
interface WebhookTarget {
  readonly url: string
  /** All secrets to sign with, newest first; two while a secret is being replaced. */
  readonly secrets: ReadonlyArray<string>
}

/** The message. */
interface WebhookMessage {
  /** The same for every attempt; receivers recognise repetitions by it. */
  readonly id: string
  /** Made by `webhookBody`, once. */
  readonly body: string
}

/** What to do about a message after an attempt. */
type WebhookOutcome =
  /** Any 2xx. */
  | { readonly _tag: "Delivered" }
  /** Anything else: retry by the schedule, not before `retryAfter`. */
  | { readonly _tag: "Failed"; readonly retryAfter: Micros.Micros | null }
  /** 410: the receiver wants no more, ever. */
  | { readonly _tag: "Gone" }

/** An attempt, as it is kept. */
export interface WebhookAttempt {
  readonly outcome: WebhookOutcome
  readonly startedAt: Micros.Micros
  /** Milliseconds. */
  readonly duration: number
  /** Null if there was no response. */
  readonly status: number | null
  /** The first 1,024 bytes of the response as text, without U+0000. */
  readonly answer: string
  /** Why there was no response; null if there was one. */
  readonly error: string | null
  /** What only the operator may see of that; see `OutboundRefused`. */
  readonly detail: string | null
}

/** The use case *one attempt*. It never fails: errors are part of the attempt. */
export interface WebhookSenderShape {
  readonly send: (target: WebhookTarget, message: WebhookMessage) => Effect.Effect<WebhookAttempt>
}

/** Bytes, which may end in the middle of a character, as text that any store can hold. */
const asText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).replaceAll("\0", "\ufffd")

const outcomeOf = (status: number, retryAfter: string | undefined, now: Micros.Micros): WebhookOutcome => {
  if (status >= 200 && status < 300) return { _tag: "Delivered" }
  return status === 410 ? { _tag: "Gone" } : { _tag: "Failed", retryAfter: parseRetryAfter(retryAfter, now) }
}

type Answered = Result.Result<OutboundAnswer, OutboundFailed | OutboundRefused>

const attempt = (
  answered: Answered,
  times: Pick<WebhookAttempt, "startedAt" | "duration">,
  endedAt: Micros.Micros
): WebhookAttempt => {
  if (Result.isFailure(answered)) {
    const outcome: WebhookOutcome = { _tag: "Failed", retryAfter: null }
    const { failure } = answered
    const { message } = failure
    const detail = failure._tag === "OutboundRefused" ? (failure.detail ?? null) : null
    return { ...times, outcome, status: null, answer: "", error: message, detail }
  }
  const { status, header, body } = answered.success
  const outcome = outcomeOf(status, header("retry-after"), endedAt)
  return { ...times, outcome, status, answer: asText(body), error: null, detail: null }
}

/** Sending over the guarded network. */
export class WebhookSender extends Context.Service<WebhookSender, WebhookSenderShape>()(
  "@cairn/delivery/WebhookSender"
) {
  static readonly layerWith = (timeout: number) =>
    Layer.effect(
      WebhookSender,
      Effect.gen(function* () {
        const guard = yield* OutboundGuard
        const sha256 = yield* Sha256

        const signed = ({ secrets }: WebhookTarget, { id, body }: WebhookMessage, at: Micros.Micros) =>
          Result.map(
            signStandardWebhook(sha256, secrets, { id, timestamp: Math.floor(at / Micros.SECOND), body }),
            (headers) => ({
              ...headers,
              [SIGNATURE_HEADER]: webhookSignature(sha256, secrets, body),
              "content-type": "application/json",
              "user-agent": "Cairn-Webhooks/1"
            })
          )

        const send = Effect.fn("WebhookSender.send")(function* (
          target: WebhookTarget,
          message: WebhookMessage
        ) {
          const startedAt = yield* Micros.now
          const elapsed = yield* startTimer
          // A secret that cannot sign is never stored, so this would be a defect.
          const headers = Result.getOrThrow(signed(target, message, startedAt))
          const answered = yield* Effect.scoped(
            Effect.gen(function* () {
              const http = yield* openOutboundHttp(guard)
              return yield* Effect.result(
                http.send({
                  method: "POST",
                  url: target.url,
                  headers,
                  body: message.body,
                  timeout,
                  keep: WEBHOOK_ANSWER_BYTES
                })
              )
            })
          )
          const duration = Math.round(yield* elapsed)
          return attempt(answered, { startedAt, duration }, yield* Micros.now)
        })

        return WebhookSender.of({ send })
      })
    )

  /** With the timeout of 15 seconds. */
  static readonly layer = WebhookSender.layerWith(WEBHOOK_TIMEOUT)
}
