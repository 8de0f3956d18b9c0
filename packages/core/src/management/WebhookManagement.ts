/** Creating, changing and removing webhooks, and redelivery, tests and new secrets on request. */

import { Context, Data, Effect, Layer, Option, Result } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { MAX_NAME } from "../event/EventInput.ts"
import { InvalidInput } from "../event/InvalidInput.ts"
import { hasAtMost, nameFault } from "../event/TextFault.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import { SecretBox } from "../hashing/SecretBox.ts"
import { testDelivery } from "../outbound/Announcement.ts"
import { MAIL_REFUSALS, mailRefusal } from "../outbound/MailReceivers.ts"
import { OutboundUrls } from "../outbound/OutboundUrls.ts"
import { Outbox } from "../outbound/Outbox.ts"
import { makeWebhookSecret } from "../outbound/StandardWebhooks.ts"
import { MAX_URL, WEBHOOK_TYPES, type WebhookInput, type WebhookPatch } from "../outbound/WebhookInput.ts"
import { MAX_WEBHOOKS, rotatedSecrets, switched, type Webhook, Webhooks } from "../outbound/Webhooks.ts"
import type { ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import type { Members } from "../workspace/Members.ts"
import { withinLimit } from "../workspace/WorkspaceCollection.ts"
import { makeCreationTime } from "./CreationTime.ts"
import { difference } from "./Difference.ts"
import { ManagementEvents, type Manager, onceKey } from "./ManagementEvent.ts"
import { NotFound } from "./NotFound.ts"
import { changeRecorded, createRecorded, inTurn, makeTurns } from "./RecordedCreation.ts"

/** A delivery that cannot be sent again. */
export class ReceiverGone extends Data.TaggedError("ReceiverGone")<{ readonly reason: string }> {}

const admit = withinLimit("webhooks", MAX_WEBHOOKS)

const refuse = (path: string, reason: string) => Effect.fail(new InvalidInput({ path, reason }))

const resource = ({ id, description }: Webhook) => ({ type: "webhook", id, name: description })

/** What the log records: of the URL only its origin, because for some receivers the rest is a secret. */
const told = ({ url, description, types, enabled }: Webhook) => ({
  url: new URL(url).origin,
  description,
  types,
  enabled
})

/** What the use cases need. */
const loadServices = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const outbox = yield* Outbox
  const box = yield* SecretBox
  const urls = yield* OutboundUrls
  const events = yield* ManagementEvents
  const random = yield* Randomness
  const now = makeCreationTime()
  const turns = makeTurns()
  const receivers = yield* Effect.context<Members | ManagedWorkspaces>()
  const refusalOf = (...mail: Parameters<typeof mailRefusal>) =>
    Effect.provide(mailRefusal(...mail), receivers)
  return { webhooks, outbox, box, urls, events, random, now, turns, refusalOf }
})
type Services = Effect.Success<typeof loadServices>

/** What is wrong with an address; undefined if nothing is. */
const urlFault =
  (services: Services) =>
  (url: string): string | undefined => {
    if (!hasAtMost(url, MAX_URL)) return `must have at most ${MAX_URL} characters`
    const allowed = services.urls.check(url)
    return Result.isFailure(allowed) ? allowed.failure.message : undefined
  }

const check = (services: Services) =>
  Effect.fnUntraced(function* ({ url, description, types }: Omit<WebhookPatch, "enabled">) {
    if (url !== undefined) {
      const reason = urlFault(services)(url)
      if (reason !== undefined) return yield* refuse("url", reason)
    }
    const fault =
      typeof description === "string" ? nameFault(description, { least: 0, most: MAX_NAME }) : undefined
    if (fault !== undefined) return yield* refuse("description", fault)
    if (types?.length === 0) return yield* refuse("types", "must name at least one type")
  })

const find = (services: Services) =>
  Effect.fnUntraced(function* (workspaceId: string, id: string) {
    const found = yield* services.webhooks.get(workspaceId, id)
    return Option.isSome(found) ? found.value : yield* new NotFound({ what: "webhook", id })
  })

const create = (services: Services) =>
  Effect.fn("WebhookManagement.create")(function* (by: Manager, workspaceId: string, input: WebhookInput) {
    yield* check(services)(input)
    const at = yield* services.now
    const id = `whk_${uuid(services.random)}`
    const secret = makeWebhookSecret(services.random)
    const webhook: Webhook = {
      id,
      workspace_id: workspaceId,
      url: input.url,
      description: input.description ?? null,
      types: [...new Set(input.types ?? WEBHOOK_TYPES)],
      enabled: input.enabled ?? true,
      disabled_reason: null,
      failing_since: null,
      secrets: [{ sealed: services.box.seal(secret, id), expires_at: null }],
      created_at: at,
      updated_at: at
    }
    const change = {
      workspaceId,
      action: "cairn.webhook.created",
      resource: resource(webhook),
      metadata: told(webhook)
    }
    yield* createRecorded(services, by, change, { things: services.webhooks, item: webhook, admit })
    return { webhook, secret }
  })

const merged = (webhook: Webhook, patch: WebhookPatch, at: Micros.Micros): Webhook => {
  const enabled = patch.enabled ?? webhook.enabled
  return {
    ...(enabled === webhook.enabled ? webhook : switched(webhook, enabled, at)),
    url: patch.url ?? webhook.url,
    description: patch.description === undefined ? webhook.description : patch.description,
    types: patch.types === undefined ? webhook.types : [...new Set(patch.types)],
    updated_at: at
  }
}

const change = (services: Services) =>
  Effect.fn("WebhookManagement.change")(function* (
    by: Manager,
    workspaceId: string,
    id: string,
    patch: WebhookPatch
  ) {
    yield* check(services)(patch)
    const before = yield* find(services)(workspaceId, id)
    const at = yield* services.now
    const after = merged(before, patch, at)
    const changed = {
      ...difference(told(before), told(after)),
      // If only a part that is not recorded has changed, the event says that it has.
      ...(before.url === after.url ? {} : { url: { from: told(before).url, to: told(after).url } })
    }
    if (Object.keys(changed).length === 0) return before
    const record = {
      workspaceId,
      action: "cairn.webhook.updated",
      resource: resource(before),
      metadata: { changed }
    }
    const modify = services.webhooks.modify(workspaceId, id, (current) =>
      Result.succeed(merged(current, patch, at))
    )
    return yield* changeRecorded(services, by, record, "webhook", modify)
  }, inTurn(services))

const remove = (services: Services) =>
  Effect.fn("WebhookManagement.remove")(function* (by: Manager, workspaceId: string, id: string) {
    const webhook = yield* find(services)(workspaceId, id)
    yield* services.events.record(by, {
      workspaceId,
      action: "cairn.webhook.deleted",
      resource: resource(webhook),
      metadata: told(webhook),
      idempotencyKey: onceKey("cairn.webhook.deleted", id, by)
    })
    yield* services.webhooks.remove(workspaceId, id)
    return webhook
  }, inTurn(services))

const rotateSecret = (services: Services) =>
  Effect.fn("WebhookManagement.rotateSecret")(function* (by: Manager, workspaceId: string, id: string) {
    const before = yield* find(services)(workspaceId, id)
    const record = {
      workspaceId,
      action: "cairn.webhook.secret_rotated",
      resource: resource(before),
      metadata: {}
    }
    const secret = makeWebhookSecret(services.random)
    const at = yield* services.now
    const modify = services.webhooks.modify(workspaceId, id, (current) =>
      Result.succeed({
        ...current,
        secrets: rotatedSecrets(current.secrets, services.box.seal(secret, id), at),
        updated_at: at
      })
    )
    return { webhook: yield* changeRecorded(services, by, record, "webhook", modify), secret }
  }, inTurn(services))

const test = (services: Services) =>
  Effect.fn("WebhookManagement.test")(function* (by: Manager, workspaceId: string, id: string) {
    const webhook = yield* find(services)(workspaceId, id)
    yield* services.events.record(by, {
      workspaceId,
      action: "cairn.webhook.tested",
      resource: resource(webhook),
      metadata: {}
    })
    const delivery = testDelivery(webhook, `dlv_${uuid(services.random)}`, yield* Micros.now)
    yield* services.outbox.put([delivery])
    const stored = yield* services.outbox.get(workspaceId, delivery.id)
    return Option.isSome(stored) ? stored.value : yield* new NotFound({ what: "delivery", id: delivery.id })
  })

/** Mails whose link is good for a while only, and for a member who may be gone. */
const LINK_MAILS: ReadonlySet<string> = new Set(["mail.invitation", "mail.sign_in"])

const redeliver = (services: Services) =>
  Effect.fn("WebhookManagement.redeliver")(function* (by: Manager, workspaceId: string, id: string) {
    const known = yield* services.outbox.get(workspaceId, id)
    if (Option.isNone(known)) return yield* new NotFound({ what: "delivery", id })
    const { channel, target, type } = known.value
    if (LINK_MAILS.has(type))
      return yield* new ReceiverGone({
        reason: "A mail with a link is not sent again; POST /api/v1/members/{id}/invite sends a new one"
      })
    if (channel === "webhook") {
      const webhook = yield* services.webhooks.get(workspaceId, target)
      if (Option.isNone(webhook)) return yield* new ReceiverGone({ reason: "The webhook was deleted" })
      if (!webhook.value.enabled && type !== "webhook.test")
        return yield* new ReceiverGone({ reason: "The webhook is off; switch it on first" })
    }
    if (channel === "mail") {
      const refusal = yield* services.refusalOf(known.value, yield* Micros.now)
      if (refusal !== undefined)
        return yield* new ReceiverGone({ reason: `The mail is not sent again: ${MAIL_REFUSALS[refusal]}` })
    }
    const record = {
      workspaceId,
      action: "cairn.delivery.sent_again",
      resource: { type: "delivery", id, name: null },
      metadata: { channel, type }
    }
    const again = services.outbox.redeliver(workspaceId, id, yield* Micros.now)
    return yield* changeRecorded(services, by, record, "delivery", again)
  })

const make = Effect.map(loadServices, (services) => ({
  urlFault: urlFault(services),
  find: find(services),
  create: create(services),
  change: change(services),
  remove: remove(services),
  rotateSecret: rotateSecret(services),
  test: test(services),
  redeliver: redeliver(services)
}))

/** The use cases. Each checks its input, records the change in the workspace's log, and makes it. */
export class WebhookManagement extends Context.Service<WebhookManagement, Effect.Success<typeof make>>()(
  "@cairn/core/WebhookManagement"
) {
  static readonly layer = Layer.effect(WebhookManagement, make)
}
