/** Sending what goes out; in a file of its own, so that only the delivery thread loads what sends. */
import { AlertConsumer } from "@cairn/core/alert"
import { RecentEvents } from "@cairn/core/consumer"
import { layerAlertNotices } from "@cairn/core/outbound"
import { Mailer, OutboxWorker, StreamWorker, WebhookSender } from "@cairn/delivery"
import { Layer } from "effect"
import { layerSecrets } from "../secret/SecretKeys.ts"
import type { OutboundConfig } from "../settings/OutboundSettings.ts"
import { layerOutboundGuard } from "./OutboundGuard.ts"
import { layerStorage, type StorageConfig } from "./Storage.ts"

/** Milliseconds that one request to a stream's destination may take. */
const STREAM_TIMEOUT = 30_000

/** Raising alerts and sending what goes out: the delivery thread. */
export const layerSending = (config: StorageConfig & OutboundConfig) => {
  const { outbound, secretKeys } = config
  const mail = outbound.mail !== null
  const mailer = outbound.mail === null ? Mailer.layerNone : Mailer.layer(outbound.mail)
  const streams = StreamWorker.layer({ folder: outbound.streamFolder, timeout: STREAM_TIMEOUT, mail })
  return Layer.mergeAll(
    AlertConsumer.layer().pipe(Layer.provide(layerAlertNotices({ mail }))),
    OutboxWorker.layer({ mail }).pipe(Layer.provide([WebhookSender.layer, mailer, streams])),
    streams
  ).pipe(
    Layer.provide([layerOutboundGuard(outbound), layerSecrets(secretKeys), RecentEvents.layer]),
    Layer.provideMerge(layerStorage(config))
  )
}
