/** How a webhook does. */
import { Badge, Moment, type Tone } from "@cairn/ui/parts"
import { useTexts } from "../../locale/Texts.ts"
import { stateOf, type Webhook, type WebhookState } from "./Webhook.ts"
import { webhookTexts } from "./WebhookTexts.ts"

const STATE_TONES: Readonly<Record<WebhookState, Tone>> = {
  on: "good",
  failing: "warning",
  off: "calm",
  gone: "bad",
  failed: "bad"
}

/** The state, and since when it fails. */
export const WebhookBadge = ({ webhook }: { readonly webhook: Webhook }) => {
  const texts = useTexts(webhookTexts)
  const state = stateOf(webhook)
  return (
    <span title={texts.stateHints[state]}>
      <Badge tone={STATE_TONES[state]}>
        {texts.states[state]}
        {state === "failing" && (
          <>
            {" "}
            {texts.since} <Moment at={webhook.failing_since} />
          </>
        )}
      </Badge>
    </span>
  )
}
