/** One attempt at one message: a webhook or a mail, and what is to become of it. */
import {
  type Audience,
  activeSecrets,
  type ClaimedDelivery,
  type DeliveryAttempt,
  decodeMailNotice,
  loadAudience,
  type MailNotice,
  type ManagedWorkspaces,
  type Members,
  Micros,
  mailDeliveries,
  nextAttempt,
  noteAttempt,
  Outbox,
  SecretBox,
  type Settlement,
  Sha256,
  type StorageUnavailable,
  type Webhook,
  Webhooks
} from "@cairn/core"
import { Context, Effect, Layer, Option, Random, Result } from "effect"
import { Mailer } from "../mail/Mailer.ts"
import {
  alertNotice,
  chainBrokenNotice,
  type Notice,
  retentionShortenedNotice,
  streamDownNotice,
  webhookDisabledNotice
} from "../mail/Notices.ts"
import { startTimer } from "../outbound/Elapsed.ts"
import { type WebhookAttempt, WebhookSender } from "../webhook/WebhookSender.ts"

/** What came of an attempt. */
export interface DeliveryOutcome {
  readonly settlement: Settlement
  /** Whether the receiver took its time and then said nothing; one that answers, however slowly, or refuses at once, is not silent. */
  readonly silent: boolean
}

/** The use case *attempt a message*. It stores what the receiver's health becomes, and leaves the message to the caller. */
export interface DeliveryAttemptsShape {
  readonly attempt: (delivery: ClaimedDelivery) => Effect.Effect<DeliveryOutcome, StorageUnavailable>
}

/** No answer after so many milliseconds is silence; less is a receiver that is not there, which costs nobody a place. */
const SILENCE = 1_000

/** The words of a notice. */
const words = (notice: MailNotice): Notice => {
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

const givenUp: Settlement = { attempt: null, status: "failed", dueAt: null }

const kept = ({ startedAt, duration, status, answer, error }: WebhookAttempt): DeliveryAttempt => ({
  started_at: startedAt,
  duration,
  status,
  answer,
  error
})

/** What an attempt at a webhook says of it, in a word. */
const lastError = ({ status, error }: WebhookAttempt): string => error ?? `HTTP status ${status}`

/** Attempting. */
export class DeliveryAttempts extends Context.Service<DeliveryAttempts, DeliveryAttemptsShape>()(
  "@cairn/delivery/DeliveryAttempts"
) {
  /** `mail` says whether the service sends any: whether admins are written to about a webhook that was disabled. */
  static readonly layer = ({ mail }: { readonly mail: boolean }) =>
    Layer.effect(
      DeliveryAttempts,
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const webhooks = yield* Webhooks
        const sender = yield* WebhookSender
        const mailer = yield* Mailer
        const box = yield* SecretBox
        const sha256 = yield* Sha256
        const context = yield* Effect.context<Webhooks | Members | ManagedWorkspaces>()

        const audienceOf = (workspaceId: string): Effect.Effect<Audience, StorageUnavailable> =>
          Effect.provide(loadAudience(workspaceId, mail), context)

        /** The settlement of an attempt that failed and may be made again. */
        const later = Effect.fnUntraced(function* (
          { attempts }: ClaimedDelivery,
          attempt: DeliveryAttempt,
          retryAfter: Micros.Micros | null
        ) {
          const endedAt = attempt.started_at + attempt.duration * 1_000
          const dueAt = nextAttempt({ attempts: attempts + 1, endedAt, retryAfter }, yield* Random.next)
          return { attempt, status: dueAt === null ? "failed" : "pending", dueAt } satisfies Settlement
        })

        /** An attempt that came to nothing before it began. */
        const unmade = Effect.fnUntraced(function* (delivery: ClaimedDelivery, error: string) {
          const started_at = yield* Micros.now
          return yield* later(delivery, { started_at, duration: 0, status: null, answer: "", error }, null)
        })

        /** Switches a webhook off and writes to the admins: first the mail, so that a crash in between cannot lose it. */
        const disable = Effect.fnUntraced(function* (
          webhook: Webhook,
          cause: "gone" | "failing",
          attempt: WebhookAttempt
        ) {
          const { id, url, workspace_id, updated_at } = webhook
          const audience = yield* audienceOf(workspace_id)
          const notice: MailNotice = {
            kind: "webhook_disabled",
            workspace: audience.workspaceName,
            webhook: { id, url },
            cause,
            last_error: lastError(attempt)
          }
          // The same until someone switches it on again, however many messages fail at once.
          const event = `webhook_disabled ${id} ${updated_at}`
          yield* outbox.put(mailDeliveries(sha256, audience, notice, event, attempt.startedAt))
          yield* webhooks.modify(workspace_id, id, (current) =>
            Result.succeed(
              current.enabled && current.updated_at === updated_at
                ? { ...current, enabled: false, disabled_reason: cause }
                : current
            )
          )
        })

        /** Notes how the endpoint does. */
        const noteHealth = Effect.fnUntraced(function* (webhook: Webhook, attempt: WebhookAttempt) {
          const { id, workspace_id, failing_since, enabled } = webhook
          const endedAt = attempt.startedAt + attempt.duration * 1_000
          const succeeded = attempt.outcome._tag === "Delivered"
          const { failingSince, disable: patienceEnded } = noteAttempt(
            { failingSince: failing_since },
            succeeded,
            endedAt
          )
          if (failingSince !== failing_since) {
            yield* webhooks.modify(workspace_id, id, (current) =>
              Result.succeed({
                ...current,
                failing_since: succeeded ? null : (current.failing_since ?? failingSince)
              })
            )
          }
          if (!enabled) return
          if (attempt.outcome._tag === "Gone") yield* disable(webhook, "gone", attempt)
          else if (patienceEnded) yield* disable(webhook, "failing", attempt)
        })

        const sendWebhook = Effect.fnUntraced(function* (delivery: ClaimedDelivery) {
          const { workspaceId, target, type, payload, id } = delivery
          const found = yield* webhooks.get(workspaceId, target)
          // A test is asked for by hand, also of a webhook that is off.
          if (Option.isNone(found) || !(found.value.enabled || type === "webhook.test")) return givenUp
          const webhook = found.value
          const now = yield* Micros.now
          const secrets = Result.all(
            activeSecrets(webhook.secrets, now).map(({ sealed }) => box.open(sealed, webhook.id))
          )
          if (Result.isFailure(secrets)) return yield* unmade(delivery, secrets.failure.message)
          const attempt = yield* sender.send(
            { url: webhook.url, secrets: secrets.success },
            { id, body: payload }
          )
          yield* noteHealth(webhook, attempt)
          const { outcome } = attempt
          switch (outcome._tag) {
            case "Delivered":
              return { attempt: kept(attempt), status: "delivered", dueAt: null } satisfies Settlement
            case "Gone":
              return { attempt: kept(attempt), status: "failed", dueAt: null } satisfies Settlement
            case "Failed":
              return yield* later(delivery, kept(attempt), outcome.retryAfter)
          }
        })

        const sendMail = Effect.fnUntraced(function* (delivery: ClaimedDelivery) {
          const notice = yield* Effect.option(decodeMailNotice(delivery.payload))
          if (Option.isNone(notice)) return { settlement: givenUp, silent: false }
          const started_at = yield* Micros.now
          const elapsed = yield* startTimer
          const sent = yield* Effect.result(mailer.send({ to: delivery.target, ...words(notice.value) }))
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
            : yield* later(delivery, failed, null)
          return { settlement, silent: !answered && duration >= SILENCE }
        })

        const attempt = Effect.fn("DeliveryAttempts.attempt")(function* (
          delivery: ClaimedDelivery
        ): Effect.fn.Return<DeliveryOutcome, StorageUnavailable> {
          if (delivery.channel === "mail") return yield* sendMail(delivery)
          const settlement: Settlement = yield* sendWebhook(delivery)
          const made = settlement.attempt
          const silent = made !== null && made.status === null && made.duration >= SILENCE
          return { settlement, silent }
        })

        return DeliveryAttempts.of({ attempt })
      })
    )
}
