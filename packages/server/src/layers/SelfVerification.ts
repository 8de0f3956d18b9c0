/** The verification that the service does on its own schedule. */

import { Micros } from "@cairn/core/encoding"
import { Announcer, layerBreakNotices } from "@cairn/core/outbound"
import { SelfVerification } from "@cairn/core/verification"
import { Layer } from "effect"
import type { OutboundSettings } from "../settings/OutboundSettings.ts"
import type { VerificationSettings } from "../settings/VerificationSettings.ts"

/** Verifies, and announces what it finds, over the ports. */
export const layerSelfVerification = ({
  verification,
  outbound
}: {
  readonly verification: VerificationSettings
  readonly outbound: OutboundSettings
}) =>
  SelfVerification.layer({ every: verification.everySeconds * Micros.SECOND }).pipe(
    Layer.provide(layerBreakNotices),
    Layer.provide(Announcer.layer({ mail: outbound.mail !== null }))
  )
