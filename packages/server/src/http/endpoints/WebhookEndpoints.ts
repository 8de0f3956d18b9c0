/** Webhooks, and what was sent to them and by mail. */
import { TEST_WAIT, type WebhookView } from "@cairn/api"
import { DeliveryChannel } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { decodeStrictly, InvalidInput, unlessInvalid } from "@cairn/core/event"
import { NotFound, WebhookManagement } from "@cairn/core/management"
import {
  type Delivery,
  type DeliveryFilter,
  DeliveryReader,
  DeliveryStatus,
  type Webhook,
  WebhookInput,
  WebhookPatch,
  Webhooks
} from "@cairn/core/outbound"
import { Effect, Option, Predicate, type Result } from "effect"
import type { Endpoint } from "../gate/Endpoint.ts"
import type { Identity } from "../gate/Identity.ts"
import { createdAnswer, jsonAnswer } from "../plumbing/Answer.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { type Query, readQuery } from "../plumbing/QueryParameters.ts"
import { attemptView, deliveryView, moment, testView } from "./DeliveryViews.ts"
import { collectionPage, decodeBody, manager } from "./ManagementRequest.ts"
import { shownAddress } from "./ShownAddress.ts"

const decodeInput = decodeStrictly(WebhookInput)
const decodePatch = decodeStrictly(WebhookPatch)

const webhookView = (webhook: Webhook): WebhookView => ({
  id: webhook.id,
  url: webhook.url,
  description: webhook.description,
  types: webhook.types,
  enabled: webhook.enabled,
  disabled_reason: webhook.disabled_reason,
  failing_since: moment(webhook.failing_since),
  created_at: Micros.format(webhook.created_at),
  updated_at: Micros.format(webhook.updated_at)
})

/** As the caller may see it. */
const viewFor =
  ({ allows }: Identity) =>
  (webhook: Webhook): WebhookView =>
    shownAddress(webhookView(webhook), allows("webhooks:write"))

/** The payload of a message; nothing of one with a link that would sign somebody in, sealed as it is. */
const shownPayload = ({ type, payload }: Delivery): string =>
  type === "mail.invitation" ? JSON.stringify({ kind: "invitation" }) : payload

const pageOf = (parameters: Query) => ({ before: parameters.cursor(), limit: parameters.limit() })

const deliveryFilter = (parameters: Query): DeliveryFilter => {
  const channel = parameters.choice("channel", DeliveryChannel.literals)
  const status = parameters.choice("status", DeliveryStatus.literals)
  return { ...(channel === undefined ? {} : { channel }), ...(status === undefined ? {} : { status }) }
}

/** A body whose address is checked beside the schema, so that all faults are named together. */
const withUrl =
  <A>(management: WebhookManagement["Service"], decode: (body: unknown) => Result.Result<A, InvalidInput>) =>
  (body: unknown): Result.Result<A, InvalidInput> => {
    const url = Predicate.isObject(body) && "url" in body ? body.url : undefined
    const reason = typeof url === "string" ? management.urlFault(url) : undefined
    const fault = reason === undefined ? undefined : new InvalidInput({ path: "url", reason })
    return unlessInvalid(decode(body), fault)
  }

/** The endpoints of what was sent. */
const makeDeliveryEndpoints = Effect.gen(function* () {
  const deliveries = yield* DeliveryReader
  const management = yield* WebhookManagement

  const listWebhookDeliveries: Endpoint = Effect.fnUntraced(function* ({ id, query, identity }) {
    const { workspaceId } = identity
    const { filter, ...page } = yield* readQuery(query, (parameters) => ({
      filter: deliveryFilter(parameters),
      ...pageOf(parameters)
    }))
    yield* management.find(workspaceId, id)
    const request = { workspaceId, filter: { ...filter, target: id }, ...page }
    const { data, pagination } = yield* deliveries.list(request)
    return jsonAnswer({ data: data.map(deliveryView), pagination })
  }, asApiError)

  const listDeliveries: Endpoint = Effect.fnUntraced(function* ({ query, identity }) {
    const request = yield* readQuery(query, (parameters) => ({
      filter: deliveryFilter(parameters),
      ...pageOf(parameters)
    }))
    const { data, pagination } = yield* deliveries.list({ workspaceId: identity.workspaceId, ...request })
    return jsonAnswer({ data: data.map(deliveryView), pagination })
  }, asApiError)

  const getDelivery: Endpoint = Effect.fnUntraced(function* ({ id, identity }) {
    const found = yield* deliveries.get(identity.workspaceId, id)
    if (Option.isNone(found)) return yield* new NotFound({ what: "delivery", id })
    const { delivery, attempts } = found.value
    const maySend = identity.allows(delivery.channel === "stream" ? "log_streams:write" : "webhooks:write")
    const log = attempts.map((attempt) => attemptView(attempt, maySend))
    return jsonAnswer({ data: { ...deliveryView(delivery), payload: shownPayload(delivery), log } })
  }, asApiError)

  const redeliver: Endpoint = Effect.fnUntraced(function* (request) {
    const { id, identity } = request
    const again = yield* management.redeliver(manager(request), identity.workspaceId, id)
    return jsonAnswer({ data: deliveryView(again) }, 202)
  }, asApiError)

  return { listWebhookDeliveries, listDeliveries, getDelivery, redeliver }
})

/** The endpoints, by their names in the contract. */
export const makeWebhookEndpoints = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const deliveries = yield* DeliveryReader
  const management = yield* WebhookManagement

  const listWebhooks: Endpoint = Effect.fnUntraced(function* ({ query, identity }) {
    const page = yield* readQuery(query, pageOf)
    return jsonAnswer(collectionPage(yield* webhooks.list(identity.workspaceId), page, viewFor(identity)))
  }, asApiError)

  const createWebhook: Endpoint = Effect.fnUntraced(function* (request) {
    const input = yield* decodeBody(request, withUrl(management, decodeInput))
    const { workspaceId } = request.identity
    const { webhook, secret } = yield* management.create(manager(request), workspaceId, input)
    return createdAnswer({ ...webhookView(webhook), secret })
  }, asApiError)

  const getWebhook: Endpoint = Effect.fnUntraced(function* ({ id, identity }) {
    return jsonAnswer({ data: viewFor(identity)(yield* management.find(identity.workspaceId, id)) })
  }, asApiError)

  const updateWebhook: Endpoint = Effect.fnUntraced(function* (request) {
    const patch = yield* decodeBody(request, withUrl(management, decodePatch))
    const { workspaceId } = request.identity
    return jsonAnswer({
      data: webhookView(yield* management.change(manager(request), workspaceId, request.id, patch))
    })
  }, asApiError)

  const deleteWebhook: Endpoint = Effect.fnUntraced(function* (request) {
    const webhook = yield* management.remove(manager(request), request.identity.workspaceId, request.id)
    return jsonAnswer({ data: webhookView(webhook) })
  }, asApiError)

  const testWebhook: Endpoint = Effect.fnUntraced(function* (request) {
    const { workspaceId } = request.identity
    const wait = yield* readQuery(request.query, (parameters) => parameters.limit(TEST_WAIT, "wait"))
    const sent = yield* management.test(manager(request), workspaceId, request.id)
    return jsonAnswer({ data: yield* testView(deliveries, workspaceId, sent, wait) }, 202)
  }, asApiError)

  const rotateWebhookSecret: Endpoint = Effect.fnUntraced(function* (request) {
    const { workspaceId } = request.identity
    const { webhook, secret } = yield* management.rotateSecret(manager(request), workspaceId, request.id)
    return jsonAnswer({ data: { ...webhookView(webhook), secret } })
  }, asApiError)

  return {
    listWebhooks,
    createWebhook,
    getWebhook,
    updateWebhook,
    deleteWebhook,
    testWebhook,
    rotateWebhookSecret,
    ...(yield* makeDeliveryEndpoints)
  }
})
