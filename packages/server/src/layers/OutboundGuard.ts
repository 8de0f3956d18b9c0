/** Which addresses webhooks and log streams may call. */
import { parseNetworks } from "@cairn/core/outbound"
import { OutboundGuard } from "@cairn/delivery"
import { Result } from "effect"
import type { OutboundSettings } from "../settings/OutboundSettings.ts"

/** The guard. */
export const layerOutboundGuard = ({ allow, http }: OutboundSettings) =>
  OutboundGuard.layer({ allow: Result.getOrThrow(parseNetworks(allow)), http })
