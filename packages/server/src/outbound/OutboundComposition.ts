/** Which layers make up what goes out: its management, the reading of it, and the thread that sends it. */
import { AlertBacktest, AlertConsumer, AlertReader, DeliveryReader } from "@cairn/core"
import { OutboxWorker, StreamWorker, WebhookSender } from "@cairn/delivery"
import { Layer } from "effect"
import { type StorageConfig, storage } from "../Composition.ts"
import { AlertRuleManagement } from "../management/AlertRuleManagement.ts"
import { LogStreamManagement } from "../management/LogStreamManagement.ts"
import { ManagementEvents } from "../management/ManagementEvent.ts"
import { MemberManagement } from "../management/MemberManagement.ts"
import { WebhookManagement } from "../management/WebhookManagement.ts"
import { layerSecrets } from "../secret/SecretKeys.ts"
import { layerGuard, layerMailer, type OutboundSettings, STREAM_TIMEOUT } from "./OutboundSettings.ts"

/** The settings, and the keys that seal secrets at rest. */
export interface OutboundConfig {
  readonly outbound: OutboundSettings
  /** Newest first, each the base64 of 32 bytes. */
  readonly secretKeys: ReadonlyArray<string>
}

/** Reading alerts and deliveries, which may take long: the log thread, over the ports. */
export const readingSide = Layer.mergeAll(AlertReader.layer, AlertBacktest.layer, DeliveryReader.layer)

/** Managing what goes out, over the ports and the way to accept events. */
export const managingSide = ({ outbound, secretKeys }: OutboundConfig) =>
  Layer.mergeAll(
    AlertRuleManagement.layer,
    MemberManagement.layer,
    WebhookManagement.layer,
    LogStreamManagement.layer({ folder: outbound.streamFolder })
  ).pipe(
    Layer.provide(ManagementEvents.layer),
    Layer.provideMerge(Layer.merge(layerGuard(outbound), layerSecrets(secretKeys)))
  )

/** Raising alerts and sending what goes out: the delivery thread. */
export const sendingSide = (config: StorageConfig & OutboundConfig) => {
  const { outbound, secretKeys } = config
  const mail = outbound.mail !== null
  return Layer.mergeAll(
    AlertConsumer.layer({ mail }),
    OutboxWorker.layer({ mail }).pipe(Layer.provide([WebhookSender.layer, layerMailer(outbound)])),
    StreamWorker.layer({ folder: outbound.streamFolder, timeout: STREAM_TIMEOUT, mail })
  ).pipe(Layer.provide([layerGuard(outbound), layerSecrets(secretKeys)]), Layer.provideMerge(storage(config)))
}
