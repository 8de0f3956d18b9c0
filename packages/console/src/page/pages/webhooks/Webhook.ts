/** What webhooks are, for the components that show them. */
import type { Schemas } from "../../data/Schemas.ts"
import type { Delivery } from "./deliveries/Delivery.ts"

/** A webhook without its secret. */
export type Webhook = Schemas["Webhook"]

/** A kind of message that a webhook can get; tests are always sent. */
export type MessageType = NonNullable<Schemas["WebhookInput"]["types"]>[number]

/** The kinds, in the order in which they are shown: what needs somebody first. */
export const MESSAGE_TYPES: ReadonlyArray<MessageType> = [
  "alert.triggered",
  "chain.broken",
  "export.completed",
  "export.failed",
  "checkpoint.signed",
  "anchor.confirmed"
]

/** How a webhook does; `gone` and `failed` are why it was switched off. */
export type WebhookState = "on" | "failing" | "off" | "gone" | "failed"

/** How it does. */
export const stateOf = ({
  enabled,
  disabled_reason,
  failing_since
}: Pick<Webhook, "enabled" | "disabled_reason" | "failing_since">): WebhookState => {
  if (enabled) return failing_since === null ? "on" : "failing"
  if (disabled_reason === null) return "off"
  return disabled_reason === "gone" ? "gone" : "failed"
}

/** The host of an address: what a webhook is called. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

/** What tells it from others of its host: what it is for or, where that is not said, the address's path. */
export const aboutOf = ({ url, description }: Pick<Webhook, "url" | "description">): string =>
  description ?? (URL.canParse(url) ? new URL(url).pathname : "")

/** Whether it gets every kind of message. */
export const getsAll = ({ types }: Pick<Webhook, "types">): boolean =>
  MESSAGE_TYPES.every((type) => types.some((taken) => taken === type))

/** The newest delivery to each receiver, by the receiver's id. `deliveries` has the newest first. */
export const lastDeliveries = (deliveries: ReadonlyArray<Delivery>): ReadonlyMap<string, Delivery> =>
  // Of entries of one key the last counts.
  new Map(deliveries.toReversed().map((delivery) => [delivery.target, delivery]))

/** A webhook as a form holds it. */
export interface WebhookDraft {
  readonly url: string
  readonly description: string
  readonly types: ReadonlyArray<MessageType>
}

/** What a form for a new webhook holds, or one for a webhook that is there. */
export const draftOf = (webhook: Webhook | undefined): WebhookDraft =>
  webhook === undefined
    ? { url: "", description: "", types: MESSAGE_TYPES }
    : {
        url: webhook.url,
        description: webhook.description ?? "",
        types: MESSAGE_TYPES.filter((type) => webhook.types.includes(type))
      }

/** What the interface is given of it. */
export const bodyOf = ({ url, description, types }: WebhookDraft) => ({
  url: url.trim(),
  description: description.trim() === "" ? null : description.trim(),
  types
})
