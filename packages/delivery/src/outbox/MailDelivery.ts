/** One attempt at a mail. */

import { Micros } from "@cairn/core/encoding"
import type { SecretBoxShape } from "@cairn/core/hashing"
import {
  type ClaimedDelivery,
  decodeMailNotice,
  type MailNotice,
  type Settlement
} from "@cairn/core/outbound"
import { Effect, Option, Result } from "effect"
import type { MailerShape } from "../mail/Mailer.ts"
import {
  alertNotice,
  chainBrokenNotice,
  type Notice,
  retentionShortenedNotice,
  streamDownNotice,
  webhookDisabledNotice
} from "../mail/Notices.ts"
import { linkNotice } from "../mail/SignInNotices.ts"
import { startTimer } from "../outbound/Elapsed.ts"
import { type DeliveryOutcome, givenUp, retryLater, SILENCE } from "./Settlements.ts"

/** The words of a notice; undefined for a link that cannot be read. */
const words = (notice: MailNotice, box: SecretBoxShape, id: string): Notice | undefined => {
  switch (notice.kind) {
    case "alert":
      return alertNotice(notice.workspace, notice.alert)
    case "webhook_disabled":
      return webhookDisabledNotice(notice.workspace, notice.webhook, notice.cause, notice.last_error)
    case "stream_down":
      return streamDownNotice(notice.workspace, notice.stream, notice.since, notice.last_error)
    case "chain_broken":
      return chainBrokenNotice(notice.workspace, notice.verification)
    case "retention_shortened":
      return retentionShortenedNotice(notice.workspace, notice)
    case "sign_in":
    case "invitation":
      return Result.match(box.open(notice.sealed, id), {
        onFailure: () => undefined,
        onSuccess: (address) => linkNotice(notice, address)
      })
  }
}

/** Whether a link would be of no use any more when it arrives. */
const isOver = (notice: MailNotice, now: Micros.Micros): boolean =>
  (notice.kind === "sign_in" || notice.kind === "invitation") && notice.expires_at <= now

/** What mails are sent with. */
export interface MailContext {
  readonly mailer: MailerShape
  readonly box: SecretBoxShape
}

/** Attempts to deliver a message as a mail. */
export const deliverMail = Effect.fnUntraced(function* (
  { mailer, box }: MailContext,
  delivery: ClaimedDelivery
): Effect.fn.Return<DeliveryOutcome> {
  const notice = yield* Effect.option(decodeMailNotice(delivery.payload))
  const said = Option.isNone(notice) ? undefined : words(notice.value, box, delivery.id)
  if (Option.isNone(notice) || said === undefined || isOver(notice.value, yield* Micros.now))
    return { settlement: givenUp, silent: false }
  const started_at = yield* Micros.now
  const elapsed = yield* startTimer
  const sent = yield* Effect.result(mailer.send({ to: delivery.target, ...said }))
  const duration = Math.round(yield* elapsed)
  const attempt = { started_at, duration, status: null, answer: "", error: null }
  if (Result.isSuccess(sent)) {
    const settlement: Settlement = { attempt, status: "delivered", dueAt: null }
    return { settlement, silent: false }
  }
  const { reason, permanent, answered } = sent.failure
  const failed = { ...attempt, error: reason.replaceAll("\0", "\uFFFD") }
  const settlement: Settlement = permanent
    ? { attempt: failed, status: "failed", dueAt: null }
    : yield* retryLater(delivery, failed, null)
  return { settlement, silent: !answered && duration >= SILENCE }
})
