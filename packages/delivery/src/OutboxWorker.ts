/**
 * Sends what waits in the outbox: claims it, makes an attempt, and stores what came of it with the time of the next.
 *
 * Any number of processes may run it: a message is one's at a time. Whoever ends in the middle leaves it to be sent again when the claim
 * is over. A receiver that is slow or dead has a few messages under way at most, so that it does not hold up the others.
 */
import {
  type Audience,
  activeSecrets,
  type ClaimedDelivery,
  type DeliveryAttempt,
  decodeMailNotice,
  loadAudience,
  type MailNotice,
  type Members,
  Micros,
  mailDeliveries,
  nextAttempt,
  noteAttempt,
  Outbox,
  Randomness,
  SecretBox,
  type Settlement,
  Sha256,
  type StorageUnavailable,
  uuid,
  type Webhook,
  Webhooks,
  type Workspaces
} from "@cairn/core"
import { Clock, Context, Effect, FiberSet, Latch, Layer, Option, Random, Result } from "effect"
import { Mailer } from "./Mailer.ts"
import {
  alertNotice,
  chainBrokenNotice,
  type Notice,
  streamDownNotice,
  webhookDisabledNotice
} from "./mail/Notices.ts"
import { type WebhookAttempt, WebhookSender } from "./WebhookSender.ts"

/** Messages under way at once. */
const CONCURRENT = 32
/** Messages under way to one receiver before others come first. */
const PER_TARGET = 4
/** A claim holds for so long after whoever has it was last heard of: what a crash interrupted waits no longer than this. */
const CLAIM: Micros.Micros = 15 * Micros.SECOND
/** How often an attempt that takes its time is heard of. */
const KEEP_EVERY = "5 seconds"
/** How often it looks for messages that others put into the outbox, in milliseconds. */
const LOOK_EVERY = 1_000
/** Deliveries are kept for thirty days. */
const KEPT: Micros.Micros = 30 * Micros.DAY
const PRUNE_EVERY = 3_600_000
/** Rest after the store was out of reach, in milliseconds. */
const STORE_REST = 5_000

/** The use case *send what waits*. */
export interface OutboxWorkerShape {
  /** Attempts what is due now, once, all at once; answers how many messages that was. */
  readonly deliver: Effect.Effect<number, StorageUnavailable>
  /** Goes on delivering. Interrupting it interrupts what is under way. */
  readonly run: Effect.Effect<never>
}

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

/** Sending. */
export class OutboxWorker extends Context.Service<OutboxWorker, OutboxWorkerShape>()(
  "@cairn/delivery/OutboxWorker"
) {
  /** `mail` says whether the service sends any: whether admins are written to about a webhook that was disabled. */
  static readonly layer = ({ mail }: { readonly mail: boolean }) =>
    Layer.effect(
      OutboxWorker,
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const webhooks = yield* Webhooks
        const sender = yield* WebhookSender
        const mailer = yield* Mailer
        const box = yield* SecretBox
        const sha256 = yield* Sha256
        const random = yield* Randomness
        const context = yield* Effect.context<Webhooks | Members | Workspaces>()

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
          if (Option.isNone(notice)) return givenUp
          const started_at = yield* Micros.now
          const sent = yield* Effect.result(mailer.send({ to: delivery.target, ...words(notice.value) }))
          const duration = Math.round(((yield* Micros.now) - started_at) / 1_000)
          const attempt = { started_at, duration, status: null, answer: "", error: null }
          if (Result.isSuccess(sent))
            return { attempt, status: "delivered", dueAt: null } satisfies Settlement
          const failed = { ...attempt, error: sent.failure.reason.replaceAll("\0", "\uFFFD") }
          return sent.failure.permanent
            ? ({ attempt: failed, status: "failed", dueAt: null } satisfies Settlement)
            : yield* later(delivery, failed, null)
        })

        /** Keeps a claim, for ever. A store that is out of reach for a moment is no reason to break off what is being sent. */
        const keeping = (delivery: ClaimedDelivery) =>
          Effect.sleep(KEEP_EVERY).pipe(
            Effect.andThen(Micros.now),
            Effect.flatMap((now) => outbox.keep(delivery, now + CLAIM)),
            Effect.ignore,
            Effect.forever
          )

        const attempt = Effect.fn("OutboxWorker.attempt")(function* (delivery: ClaimedDelivery) {
          const sending = delivery.channel === "webhook" ? sendWebhook(delivery) : sendMail(delivery)
          const settlement: Settlement = yield* Effect.raceFirst(sending, keeping(delivery))
          yield* outbox.settle(delivery, settlement)
        })

        const claim = Effect.fnUntraced(function* (limit: number, except: ReadonlyArray<string>) {
          const now = yield* Micros.now
          return yield* outbox.claim({
            now,
            until: now + CLAIM,
            limit,
            perTarget: PER_TARGET,
            except,
            claim: uuid(random)
          })
        })

        const deliver = Effect.gen(function* () {
          const claimed = yield* claim(CONCURRENT, [])
          yield* Effect.forEach(claimed, attempt, { concurrency: "unbounded", discard: true })
          return claimed.length
        })

        const run = Effect.gen(function* () {
          const fibers = yield* FiberSet.make<void>()
          // Opened when an attempt has ended: there may be more for its receiver.
          const room = yield* Latch.make()
          const underWay = new Map<string, number>()
          const count = (target: string, by: number) => {
            const left = (underWay.get(target) ?? 0) + by
            if (left > 0) underWay.set(target, left)
            else underWay.delete(target)
          }
          const start = (delivery: ClaimedDelivery) => {
            count(delivery.target, 1)
            return FiberSet.run(
              fibers,
              attempt(delivery).pipe(
                // The claim ends by itself, and the message is due again.
                Effect.catchCause((cause) =>
                  Effect.logError(`A delivery could not be attempted: ${delivery.id}`, cause)
                ),
                Effect.ensuring(
                  Effect.suspend(() => {
                    count(delivery.target, -1)
                    return room.open
                  })
                )
              )
            )
          }
          /** Starts what is due as far as there is room; answers how many milliseconds to rest. */
          const look = Effect.gen(function* () {
            yield* room.close
            const free = CONCURRENT - (yield* FiberSet.size(fibers))
            const busy = [...underWay].flatMap(([target, under]) => (under >= PER_TARGET ? [target] : []))
            const claimed = free > 0 ? yield* claim(free, busy) : []
            yield* Effect.forEach(claimed, start, { discard: true })
            return claimed.length > 0 ? 0 : LOOK_EVERY
          })
          let prunedAt = Number.NEGATIVE_INFINITY
          const prune = Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            if (now - prunedAt < PRUNE_EVERY) return
            yield* outbox.prune(Micros.fromMillis(now) - KEPT)
            prunedAt = now
          })
          return yield* Effect.andThen(prune, look).pipe(
            Effect.catchCause((cause) =>
              Effect.as(Effect.logError("The outbox is out of reach", cause), STORE_REST)
            ),
            Effect.flatMap((rest) => (rest === 0 ? Effect.yieldNow : Effect.timeoutOption(room.await, rest))),
            Effect.forever
          )
        }).pipe(Effect.scoped)

        return OutboxWorker.of({ deliver, run })
      })
    )
}
