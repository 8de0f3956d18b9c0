/** One attempt to deliver one message, as a webhook, a mail or a test, and the settlement that follows. */

import { SecretBox, Sha256 } from "@cairn/core/hashing"
import type { StorageUnavailable } from "@cairn/core/log"
import {
  type ClaimedDelivery,
  LogStreams,
  loadAudience,
  mailRefusal,
  Outbox,
  Webhooks
} from "@cairn/core/outbound"
import type { ManagedWorkspaces, Members } from "@cairn/core/workspace"
import { Context, Effect, Layer } from "effect"
import { Mailer } from "../mail/Mailer.ts"
import { StreamWorker } from "../stream/StreamWorker.ts"
import { WebhookSender } from "../webhook/WebhookSender.ts"
import { deliverMail, type MailContext } from "./MailDelivery.ts"
import type { DeliveryOutcome } from "./Settlements.ts"
import { deliverStreamTest } from "./StreamTestDelivery.ts"
import { deliverWebhook, type WebhookContext } from "./WebhookDelivery.ts"

/** The use case *attempt a message*. It stores the receiver's health; the caller stores the settlement. */
export interface DeliveryAttemptsShape {
  readonly attempt: (delivery: ClaimedDelivery) => Effect.Effect<DeliveryOutcome, StorageUnavailable>
}

/** Attempting. */
export class DeliveryAttempts extends Context.Service<DeliveryAttempts, DeliveryAttemptsShape>()(
  "@cairn/delivery/DeliveryAttempts"
) {
  /**
   * `mail` says whether the service sends any: whether admins are written to about a webhook that was
   * disabled.
   */
  static readonly layer = ({ mail }: { readonly mail: boolean }) =>
    Layer.effect(
      DeliveryAttempts,
      Effect.gen(function* () {
        const services = yield* Effect.context<Webhooks | Members | ManagedWorkspaces>()
        const mailing: MailContext = {
          mailer: yield* Mailer,
          box: yield* SecretBox,
          refusalOf: (delivery, now) => Effect.provide(mailRefusal(delivery, now), services)
        }
        const context: WebhookContext = {
          outbox: yield* Outbox,
          webhooks: yield* Webhooks,
          sender: yield* WebhookSender,
          box: yield* SecretBox,
          sha256: yield* Sha256,
          audienceOf: (workspaceId) => Effect.provide(loadAudience(workspaceId, mail), services)
        }
        const streams = { streams: yield* LogStreams, test: (yield* StreamWorker).test }
        const attempt = Effect.fn("DeliveryAttempts.attempt")((delivery: ClaimedDelivery) => {
          switch (delivery.channel) {
            case "mail":
              return deliverMail(mailing, delivery)
            case "webhook":
              return deliverWebhook(context, delivery)
            case "stream":
              return deliverStreamTest(streams, delivery)
          }
        })
        return DeliveryAttempts.of({ attempt })
      })
    )
}
