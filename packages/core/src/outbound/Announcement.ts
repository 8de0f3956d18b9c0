/** An announcement: one message about something that happened, to each receiver. */
import { Effect, Option } from "effect"
import type { NewDelivery } from "../consumer/Delivery.ts"
import type { Micros } from "../encoding/Micros.ts"
import { derivedUuid } from "../hashing/DerivedUuid.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import { Members, noticeAddresses } from "../workspace/Members.ts"
import type { StoredLogStream } from "./LogStreams.ts"
import type { MailNotice } from "./MailNotice.ts"
import { type OutboundEvent, webhookBody } from "./OutboundEvent.ts"
import { TEST_MESSAGE } from "./TestMessage.ts"
import { listensTo, type Webhook, Webhooks } from "./Webhooks.ts"

/** Who can be notified in a workspace. */
export interface Audience {
  readonly workspaceId: string
  readonly workspaceName: string
  readonly webhooks: ReadonlyArray<Webhook>
  /** The addresses of owners and admins; none if no mail is sent. */
  readonly addresses: ReadonlyArray<string>
}

/** Reads who can be notified; `mail` is whether the service sends mail. */
export const loadAudience = Effect.fnUntraced(function* (workspaceId: string, mail: boolean) {
  const webhooks = yield* Effect.flatMap(Webhooks, ({ list }) => list(workspaceId))
  const members = mail ? yield* Effect.flatMap(Members, ({ list }) => list(workspaceId)) : []
  const workspace = yield* Effect.flatMap(ManagedWorkspaces, ({ get }) => get(workspaceId))
  return {
    workspaceId,
    workspaceName: Option.match(workspace, { onNone: () => workspaceId, onSome: ({ name }) => name }),
    webhooks,
    addresses: noticeAddresses(members)
  } satisfies Audience
})

/**
 * `dlv_` and a UUID derived from the cause and the receiver, so that a receiver is notified of a cause once.
 */
const deliveryId = (sha256: Sha256Shape, cause: string, target: string): string =>
  `dlv_${derivedUuid(sha256, `cairn.delivery.v1\n${cause}\n${target}`)}`

/**
 * A message to every webhook that subscribes to its type. `cause` identifies what happened, such as an
 * alert's id.
 */
export const webhookDeliveries = (
  sha256: Sha256Shape,
  { workspaceId, webhooks }: Audience,
  event: OutboundEvent,
  cause: string,
  at: Micros
): ReadonlyArray<NewDelivery> => {
  const payload = webhookBody(event, at)
  return webhooks
    .filter((webhook) => listensTo(webhook, event.type))
    .map(({ id }) => ({
      id: deliveryId(sha256, cause, id),
      workspaceId,
      channel: "webhook",
      target: id,
      type: event.type,
      payload,
      createdAt: at
    }))
}

/** A mail to every owner and admin. */
export const mailDeliveries = (
  sha256: Sha256Shape,
  { workspaceId, addresses }: Audience,
  notice: MailNotice,
  cause: string,
  at: Micros
): ReadonlyArray<NewDelivery> => {
  const payload = JSON.stringify(notice)
  return [...new Set(addresses)].map((target) => ({
    id: deliveryId(sha256, cause, target),
    workspaceId,
    channel: "mail",
    target,
    type: `mail.${notice.kind}`,
    payload,
    createdAt: at
  }))
}

/** The message that tests a webhook, whatever it subscribes to. `id` is `dlv_` and a UUID. */
export const testDelivery = ({ id: target, workspace_id }: Webhook, id: string, at: Micros): NewDelivery => ({
  id,
  workspaceId: workspace_id,
  channel: "webhook",
  target,
  type: "webhook.test",
  payload: webhookBody({ type: "webhook.test", data: { message: TEST_MESSAGE } }, at),
  createdAt: at
})

/**
 * The message that tests where a log stream sends to. Its record is written when it is sent, in the format
 * that the stream has then.
 */
export const streamTestDelivery = (
  { id: target, workspace_id }: StoredLogStream,
  id: string,
  at: Micros
): NewDelivery => ({
  id,
  workspaceId: workspace_id,
  channel: "stream",
  target,
  type: "stream.test",
  payload: TEST_MESSAGE,
  createdAt: at
})
