/** Which layers make up the sending of what goes out; apart from the rest, so that only the delivery thread loads what sends. */
import { AlertConsumer, RecentEvents } from "@cairn/core"
import { Mailer, OutboxWorker, StreamWorker, WebhookSender } from "@cairn/delivery"
import { Layer } from "effect"
import { layerSecrets } from "../secret/SecretKeys.ts"
import { layerGuard, type OutboundConfig, STREAM_TIMEOUT } from "../settings/OutboundSettings.ts"
import { type StorageConfig, storage } from "./Composition.ts"

/** Raising alerts and sending what goes out: the delivery thread. */
export const sendingSide = (config: StorageConfig & OutboundConfig) => {
  const { outbound, secretKeys } = config
  const mail = outbound.mail !== null
  const mailer = outbound.mail === null ? Mailer.layerNone : Mailer.layer(outbound.mail)
  return Layer.mergeAll(
    AlertConsumer.layer({ mail }),
    OutboxWorker.layer({ mail }).pipe(Layer.provide([WebhookSender.layer, mailer])),
    StreamWorker.layer({ folder: outbound.streamFolder, timeout: STREAM_TIMEOUT, mail })
  ).pipe(
    Layer.provide([layerGuard(outbound), layerSecrets(secretKeys), RecentEvents.layer]),
    Layer.provideMerge(storage(config))
  )
}
