/** A message that a consumer causes. The outbox (`outbound/Outbox.ts`) keeps and sends it. */
import { Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"

/** How a message travels. */
export const DeliveryChannel = Schema.Literals(["webhook", "mail"])
export type DeliveryChannel = typeof DeliveryChannel.Type

/** A message to one receiver. */
export interface NewDelivery {
  /** `dlv_` and a UUID; one that its cause determines is stored once however often its cause is evaluated. */
  readonly id: string
  readonly workspaceId: string
  readonly channel: DeliveryChannel
  /** A webhook's id, or a mail address. */
  readonly target: string
  /** What it tells, such as `alert.triggered`. */
  readonly type: string
  /** The body of a webhook, byte for byte; for a mail the JSON of a `MailNotice`. */
  readonly payload: string
  readonly createdAt: Micros
}
