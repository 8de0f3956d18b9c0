/** What webhooks send: `{ "type", "timestamp", "data" }` as JSON, which is the body that is signed. */

import type { Anchor } from "../anchor/AnchorView.ts"
import type { Alert } from "../consumer/Alert.ts"
import * as Micros from "../encoding/Micros.ts"
import type { SignedCheckpointView } from "../note/SignedCheckpointView.ts"
import type { BrokenChain } from "../verification/Verification.ts"
import type { Export } from "./Export.ts"

/** Each type and its data. */
export type OutboundEvent =
  | { readonly type: "alert.triggered"; readonly data: Alert }
  | { readonly type: "anchor.confirmed"; readonly data: Anchor }
  | { readonly type: "checkpoint.signed"; readonly data: SignedCheckpointView }
  | { readonly type: "export.completed"; readonly data: Export }
  | { readonly type: "export.failed"; readonly data: Export }
  | { readonly type: "chain.broken"; readonly data: BrokenChain }
  | { readonly type: "webhook.test"; readonly data: { readonly message: string } }

/** The types. */
export type OutboundEventType = OutboundEvent["type"]

/** All types, in the order in which they are documented. */
export const OUTBOUND_EVENT_TYPES = [
  "alert.triggered",
  "anchor.confirmed",
  "checkpoint.signed",
  "export.completed",
  "export.failed",
  "chain.broken",
  "webhook.test"
] as const satisfies ReadonlyArray<OutboundEventType>

/**
 * The body of a message about something that happened at `at`. It is made once and stored, so that every
 * attempt sends the same bytes.
 */
export const webhookBody = ({ type, data }: OutboundEvent, at: Micros.Micros): string =>
  JSON.stringify({ type, timestamp: Micros.format(at), data })
