/**
 * Notifies a workspace's webhooks and, where needed, its owners and admins of something that happened outside
 * the log's consumers.
 */
import { Context, Effect, Layer } from "effect"
import { AlertNotices } from "../alert/AlertNotices.ts"
import type { Alert } from "../consumer/Alert.ts"
import type { NewDelivery } from "../consumer/Delivery.ts"
import * as Micros from "../encoding/Micros.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { BreakNotices } from "../verification/BreakNotices.ts"
import type { ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import type { Members } from "../workspace/Members.ts"
import { type Audience, loadAudience, mailDeliveries, webhookDeliveries } from "./Announcement.ts"
import type { MailNotice } from "./MailNotice.ts"
import type { OutboundEvent } from "./OutboundEvent.ts"
import { Outbox } from "./Outbox.ts"
import type { Webhooks } from "./Webhooks.ts"

/**
 * What is announced. Alerts are not here, because their consumer notifies, nor tests, which have one
 * receiver.
 */
type Announced = Exclude<OutboundEvent, { readonly type: "alert.triggered" | "webhook.test" }>

/** The mail about it, if there is one. */
const noticeOf = (event: Announced, { workspaceName }: Audience): MailNotice | undefined =>
  event.type === "chain.broken"
    ? { kind: "chain_broken", workspace: workspaceName, verification: event.data }
    : undefined

/** The use case *announce*. */
export class Announcer extends Context.Service<
  Announcer,
  {
    /** The messages, for callers that store them together with their cause. `cause` as below. */
    readonly compose: (
      workspaceId: string,
      event: Announced,
      cause: string
    ) => Effect.Effect<ReadonlyArray<NewDelivery>, StorageUnavailable>
    /**
     * Puts the messages into the outbox. `cause` identifies what happened, such as an anchor's id: each cause
     * is announced once.
     */
    readonly announce: (
      workspaceId: string,
      event: Announced,
      cause: string
    ) => Effect.Effect<void, StorageUnavailable>
  }
>()("@cairn/core/Announcer") {
  /** `mail` is whether the service sends mail. */
  static readonly layer = ({ mail }: { readonly mail: boolean }) =>
    Layer.effect(
      Announcer,
      Effect.gen(function* () {
        const context = yield* Effect.context<Webhooks | Members | ManagedWorkspaces>()
        const outbox = yield* Outbox
        const sha256 = yield* Sha256
        const compose = Effect.fn("Announcer.compose")(function* (
          workspaceId: string,
          event: Announced,
          cause: string
        ) {
          const at = yield* Micros.now
          const audience = yield* Effect.provide(loadAudience(workspaceId, mail), context)
          const notice = noticeOf(event, audience)
          return [
            ...webhookDeliveries(sha256, audience, event, cause, at),
            ...(notice === undefined ? [] : mailDeliveries(sha256, audience, notice, cause, at))
          ]
        })
        const announce = (workspaceId: string, event: Announced, cause: string) =>
          Effect.flatMap(compose(workspaceId, event, cause), outbox.put)
        return Announcer.of({ compose, announce })
      })
    )
}

/** The messages about a broken chain, as the announcer makes them. */
export const layerBreakNotices = Layer.effect(
  BreakNotices,
  Effect.map(Announcer, ({ compose }) =>
    BreakNotices.of({
      of: (workspaceId, data, cause) => compose(workspaceId, { type: "chain.broken", data }, cause)
    })
  )
)

/**
 * The messages about an alert: one to each webhook that subscribes to it, and a mail to each owner and admin.
 * `mail` is whether the service sends mail.
 */
export const layerAlertNotices = ({ mail }: { readonly mail: boolean }) =>
  Layer.effect(
    AlertNotices,
    Effect.gen(function* () {
      const context = yield* Effect.context<Webhooks | Members | ManagedWorkspaces>()
      const sha256 = yield* Sha256
      const of = Effect.fnUntraced(function* (workspaceId: string) {
        const audience = yield* Effect.provide(loadAudience(workspaceId, mail), context)
        return (alert: Alert) => {
          const at = Micros.parse(alert.triggered_at) ?? 0
          const notice = { kind: "alert", workspace: audience.workspaceName, alert } as const
          return [
            ...webhookDeliveries(sha256, audience, { type: "alert.triggered", data: alert }, alert.id, at),
            ...mailDeliveries(sha256, audience, notice, alert.id, at)
          ]
        }
      })
      return AlertNotices.of({ of })
    })
  )
