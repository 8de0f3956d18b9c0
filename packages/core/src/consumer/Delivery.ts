/** A message that a consumer causes. The outbox (`outbound/Outbox.ts`) stores and sends it. */
import { Schema } from "effect"

/** How a message is sent. `stream` sends tests of log streams, and nothing else. */
export const DeliveryChannel = Schema.Literals(["webhook", "mail", "stream"])
export type DeliveryChannel = typeof DeliveryChannel.Type

/** A message to one receiver. */
export const NewDelivery = Schema.Struct({
  /**
   * `dlv_` and a UUID. If the id is derived from the cause, the message is stored once, however often the
   * cause is evaluated.
   */
  id: Schema.String,
  workspaceId: Schema.String,
  channel: DeliveryChannel,
  /** A webhook's id, a mail address, or a log stream's id. */
  target: Schema.String,
  /** The type of the message, such as `alert.triggered`. */
  type: Schema.String,
  /** The body of a webhook, byte for byte; for a mail, the JSON of a `MailNotice`; for a test of a
   * stream, its message. */
  payload: Schema.String,
  createdAt: Schema.Number
})
export type NewDelivery = typeof NewDelivery.Type
