/** Managing what goes out. */
import type { Micros } from "@cairn/core/encoding"
import {
  AlertRuleManagement,
  LogStreamManagement,
  ManagementEvents,
  MemberManagement,
  WebhookManagement
} from "@cairn/core/management"
import { RETENTION_DELAY } from "@cairn/core/workspace"
import { layerDestinations, layerOutboundUrls } from "@cairn/delivery"
import { Layer } from "effect"
import { layerSecrets } from "../secret/SecretKeys.ts"
import type { OutboundConfig } from "../settings/OutboundSettings.ts"
import { layerOutboundGuard } from "./OutboundGuard.ts"

/** Managing what goes out, over the ports and the way to accept events. */
export const layerManaging = ({
  outbound,
  secretKeys,
  retentionDelay = RETENTION_DELAY
}: OutboundConfig & { readonly retentionDelay?: Micros.Micros }) =>
  Layer.mergeAll(
    AlertRuleManagement.layer,
    MemberManagement.layer({ retentionDelay }),
    WebhookManagement.layer,
    LogStreamManagement.layer
  ).pipe(
    Layer.provide([
      ManagementEvents.layer,
      layerOutboundUrls,
      layerDestinations({ folder: outbound.streamFolder })
    ]),
    Layer.provideMerge(Layer.merge(layerOutboundGuard(outbound), layerSecrets(secretKeys)))
  )
