/** One attempt at a mail. */

import { Micros } from "@cairn/core/encoding"
import type { SecretBoxShape } from "@cairn/core/hashing"
import type { StorageUnavailable } from "@cairn/core/log"
import {
  type ClaimedDelivery,
  decodeMailNotice,
  MAIL_REFUSALS,
  type MailNotice,
  type MailRefusal,
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
import { withoutQuotedLink } from "../mail/QuotedLink.ts"
import { type LinkNotice, linkNotice } from "../mail/SignInNotices.ts"
import { startTimer } from "../outbound/Elapsed.ts"
import { type DeliveryOutcome, givenUp, retryLater, SILENCE } from "./Settlements.ts"

/** What is sent, and what of the receiver's answer may be kept. */
interface Letter {
  readonly notice: Notice
  readonly kept: (answer: string) => string
}

/** The notices that every reader of the workspace's deliveries may know. */
type OpenNotice = Exclude<MailNotice, LinkNotice>

/** The words of a notice. */
const words = (notice: OpenNotice): Notice => {
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
  }
}

const hasLink = (notice: MailNotice): notice is LinkNotice =>
  notice.kind === "sign_in" || notice.kind === "invitation"

/** What to send; undefined for a link that cannot be read. */
const letterOf = (notice: MailNotice, box: SecretBoxShape, id: string): Letter | undefined => {
  if (!hasLink(notice)) return { notice: words(notice), kept: (answer) => answer }
  return Result.match(box.open(notice.sealed, id), {
    onFailure: () => undefined,
    onSuccess: (link) => ({
      notice: linkNotice(notice, link),
      kept: (answer) => withoutQuotedLink(answer, link)
    })
  })
}

/** Whether a link would be of no use any more when it arrives. */
const isOver = (notice: MailNotice, now: Micros.Micros): boolean =>
  hasLink(notice) && notice.expires_at <= now

/** What mails are sent with. */
export interface MailContext {
  readonly mailer: MailerShape
  readonly box: SecretBoxShape
  /** Why the mail may not go to its receiver any more; undefined if it may. */
  readonly refusalOf: (
    delivery: ClaimedDelivery,
    now: Micros.Micros
  ) => Effect.Effect<MailRefusal | undefined, StorageUnavailable>
}

/** Attempts to deliver a message as a mail, unless its receiver is not to get it any more. */
export const deliverMail = Effect.fnUntraced(function* (
  { mailer, box, refusalOf }: MailContext,
  delivery: ClaimedDelivery
): Effect.fn.Return<DeliveryOutcome, StorageUnavailable> {
  const notice = yield* Effect.option(decodeMailNotice(delivery.payload))
  const letter = Option.isNone(notice) ? undefined : letterOf(notice.value, box, delivery.id)
  if (Option.isNone(notice) || letter === undefined || isOver(notice.value, yield* Micros.now))
    return { settlement: givenUp, silent: false }
  const started_at = yield* Micros.now
  const refusal = yield* refusalOf(delivery, started_at)
  if (refusal !== undefined) {
    const error = `not sent: ${MAIL_REFUSALS[refusal]}`
    const attempt = { started_at, duration: 0, status: null, answer: "", error }
    return { settlement: { attempt, status: "failed", dueAt: null }, silent: false }
  }
  const elapsed = yield* startTimer
  const sent = yield* Effect.result(mailer.send({ to: delivery.target, ...letter.notice }))
  const duration = Math.round(yield* elapsed)
  const attempt = { started_at, duration, status: null, answer: "", error: null }
  if (Result.isSuccess(sent)) {
    const settlement: Settlement = { attempt, status: "delivered", dueAt: null }
    return { settlement, silent: false }
  }
  const { reason, permanent, answered } = sent.failure
  const failed = { ...attempt, error: letter.kept(reason).replaceAll("\0", "\uFFFD") }
  const settlement: Settlement = permanent
    ? { attempt: failed, status: "failed", dueAt: null }
    : yield* retryLater(delivery, failed, null)
  return { settlement, silent: !answered && duration >= SILENCE }
})
