/** The guard of what may be called. */
import { parseNetworks } from "@cairn/core/outbound"
import { OutboundGuard } from "@cairn/delivery"
import { Result } from "effect"
import type { OutboundSettings } from "../settings/OutboundSettings.ts"

/** The guard of what may be called. */
export const layerOutboundGuard = ({ allow, http }: OutboundSettings) =>
  OutboundGuard.layer({ allow: Result.getOrThrow(parseNetworks(allow)), http })
