/** One attempt at a webhook, and the endpoint's health after it. */

import { Micros } from "@cairn/core/encoding"
import type { SecretBoxShape, Sha256Shape } from "@cairn/core/hashing"
import type { StorageUnavailable } from "@cairn/core/log"
import {
  type Audience,
  activeSecrets,
  type ClaimedDelivery,
  type DeliveryAttempt,
  type MailNotice,
  mailDeliveries,
  noteAttempt,
  type Outbox,
  type Settlement,
  type Webhook,
  type Webhooks
} from "@cairn/core/outbound"
import { Effect, Option, Result } from "effect"
import { operatorReason, tellFailing, tellRecovered } from "../loop/Incidents.ts"
import type { WebhookAttempt, WebhookSenderShape } from "../webhook/WebhookSender.ts"
import { type DeliveryOutcome, givenUp, notAttempted, retryLater, SILENCE } from "./Settlements.ts"

/** What attempts at webhooks need. */
export interface WebhookContext {
  readonly outbox: Outbox["Service"]
  readonly webhooks: Webhooks["Service"]
  readonly sender: WebhookSenderShape
  readonly box: SecretBoxShape
  readonly sha256: Sha256Shape
  /** Who is written to about a workspace. */
  readonly audienceOf: (workspaceId: string) => Effect.Effect<Audience, StorageUnavailable>
}

const kept = ({ startedAt, duration, status, answer, error }: WebhookAttempt): DeliveryAttempt => ({
  started_at: startedAt,
  duration,
  status,
  answer,
  error
})

/** The error of an attempt, in short. */
const lastError = ({ status, error }: WebhookAttempt): string => error ?? `HTTP status ${status}`

/** Disables a webhook and writes to the admins: the mail first, so that a crash in between cannot lose it. */
const disable = Effect.fnUntraced(function* (
  { outbox, webhooks, sha256, audienceOf }: WebhookContext,
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
  // The same until the webhook is enabled again, so that many failures make one mail.
  const event = `webhook_disabled ${id} ${updated_at}`
  yield* outbox.put(mailDeliveries(sha256, audience, notice, event, attempt.startedAt))
  let switchedOff = false
  yield* webhooks.modify(workspace_id, id, (current) => {
    switchedOff = current.enabled && current.updated_at === updated_at
    return Result.succeed(switchedOff ? { ...current, enabled: false, disabled_reason: cause } : current)
  })
  if (switchedOff)
    yield* Effect.logWarning(`The webhook ${id} was switched off: ${lastError(attempt)}`).pipe(
      Effect.annotateLogs({ workspaceId: workspace_id })
    )
})

/** Stores since when the endpoint fails, or that it works, and tells the log which of the two is new. */
const noteChange = Effect.fnUntraced(function* (
  { webhooks }: WebhookContext,
  { id, workspace_id: workspaceId }: Webhook,
  attempt: WebhookAttempt,
  failingSince: Micros.Micros | null
) {
  // Other attempts may end at the same time: what stood before tells whether this one has changed it.
  let before: Micros.Micros | null | undefined
  yield* webhooks.modify(workspaceId, id, (current) => {
    before = current.failing_since
    return Result.succeed({
      ...current,
      failing_since: failingSince === null ? null : (before ?? failingSince)
    })
  })
  const receiver = { what: "The webhook", id, workspaceId }
  if (before === null && failingSince !== null)
    yield* tellFailing(receiver, operatorReason(lastError(attempt), attempt.detail))
  if (typeof before === "number" && failingSince === null)
    yield* tellRecovered(receiver, before, attempt.startedAt + attempt.duration * 1_000)
})

/** Stores the endpoint's health. */
const noteHealth = Effect.fnUntraced(function* (
  context: WebhookContext,
  webhook: Webhook,
  attempt: WebhookAttempt
) {
  const { failing_since, enabled } = webhook
  const endedAt = attempt.startedAt + attempt.duration * 1_000
  const { failingSince, disable: patienceEnded } = noteAttempt(
    { failingSince: failing_since },
    attempt.outcome._tag === "Delivered",
    endedAt
  )
  if (failingSince !== failing_since) yield* noteChange(context, webhook, attempt, failingSince)
  if (!enabled) return
  if (attempt.outcome._tag === "Gone") yield* disable(context, webhook, "gone", attempt)
  else if (patienceEnded) yield* disable(context, webhook, "failing", attempt)
})

const settle = Effect.fnUntraced(function* (context: WebhookContext, delivery: ClaimedDelivery) {
  const { workspaceId, target, type, payload, id } = delivery
  const found = yield* context.webhooks.get(workspaceId, target)
  // A test is requested by hand, also for a disabled webhook.
  if (Option.isNone(found) || !(found.value.enabled || type === "webhook.test")) return givenUp
  const webhook = found.value
  const now = yield* Micros.now
  const secrets = Result.all(
    activeSecrets(webhook.secrets, now).map(({ sealed }) => context.box.open(sealed, webhook.id))
  )
  if (Result.isFailure(secrets)) return yield* notAttempted(delivery, secrets.failure.message)
  const attempt = yield* context.sender.send(
    { url: webhook.url, secrets: secrets.success },
    { id, body: payload }
  )
  yield* noteHealth(context, webhook, attempt)
  const { outcome } = attempt
  switch (outcome._tag) {
    case "Delivered":
      return { attempt: kept(attempt), status: "delivered", dueAt: null } satisfies Settlement
    case "Gone":
      return { attempt: kept(attempt), status: "failed", dueAt: null } satisfies Settlement
    case "Failed":
      return yield* retryLater(delivery, kept(attempt), outcome.retryAfter)
  }
})

/** Attempts to deliver a message to a webhook. */
export const deliverWebhook = Effect.fnUntraced(function* (
  context: WebhookContext,
  delivery: ClaimedDelivery
): Effect.fn.Return<DeliveryOutcome, StorageUnavailable> {
  const settlement: Settlement = yield* settle(context, delivery)
  const made = settlement.attempt
  const silent = made !== null && made.status === null && made.duration >= SILENCE
  return { settlement, silent }
})
