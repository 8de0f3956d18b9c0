/** How a webhook does. */
import { Badge, type Tone } from "@cairn/ui/parts"
import { Since } from "../../frame/Since.tsx"
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
    <span class="webhook-state" title={texts.stateHints[state]}>
      <Badge tone={STATE_TONES[state]}>{texts.states[state]}</Badge>
      {state === "failing" && webhook.failing_since !== null && (
        <Since at={webhook.failing_since} say={texts.since} />
      )}
    </span>
  )
}
