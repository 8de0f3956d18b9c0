/** The dialogs that make a webhook, change it, and give it another secret. */
import { Confirm, Dialog, Moment, Secret } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import { useChange } from "../../data/Read.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { TestPanel } from "./deliveries/TestPanel.tsx"
import { hostOf, type Webhook } from "./Webhook.ts"
import { type SavedWebhook, WebhookForm } from "./WebhookForm.tsx"
import { webhookTexts } from "./WebhookTexts.ts"

/** What is read again when something was sent to a webhook. */
export const ABOUT_DELIVERIES = ["deliveries", "webhooks", "webhook"]

/** For how long an old secret signs beside a new one, in milliseconds. */
const OVERLAP = 86_400_000

type RotatedWebhook = Webhook & { readonly secret: string }

const ShownSecret = ({ secret }: { readonly secret: string }) => {
  const texts = useTexts(webhookTexts)
  return (
    <section class="webhook-secret">
      <h3>{texts.secret}</h3>
      <p>{texts.secretOnce}</p>
      <Secret text={secret} label={texts.secret} />
      <p class="hint">{texts.signature}</p>
    </section>
  )
}

/** Makes a webhook, or changes one; then sends it a test, and shows a new one's secret. */
export const WebhookDialog = ({
  webhook,
  close
}: {
  readonly webhook?: Webhook
  readonly close: () => void
}) => {
  const texts = useTexts(webhookTexts)
  const [saved, setSaved] = useState<SavedWebhook>()
  if (saved === undefined) {
    return (
      <Dialog key="form" title={webhook === undefined ? texts.add : texts.changeTitle} close={close}>
        <WebhookForm
          {...(webhook === undefined ? {} : { webhook })}
          // What else was changed needs no test.
          saved={(now) => (now.url === webhook?.url ? close() : setSaved(now))}
          close={close}
        />
      </Dialog>
    )
  }
  return (
    <Dialog key="saved" title={webhook === undefined ? texts.madeTitle : texts.savedTitle} close={close}>
      <div class="webhook-saved">
        {saved.secret !== undefined && <ShownSecret secret={saved.secret} />}
        <section>
          <h3>{texts.testHeading}</h3>
          <TestPanel about={ABOUT_DELIVERIES} send={(calls) => calls.webhooks.test(saved.id)} close={close} />
        </section>
      </div>
    </Dialog>
  )
}

/** Asks, replaces the secret, and shows the new one. */
export const RotateDialog = ({
  webhook,
  close
}: {
  readonly webhook: Webhook
  readonly close: () => void
}) => {
  const texts = useTexts(webhookTexts)
  const [rotated, setRotated] = useState<RotatedWebhook>()
  const rotate = useChange(
    ["webhook"],
    (calls) => calls.webhooks.rotateSecret(webhook.id),
    ({ data }) => setRotated(data)
  )
  if (rotated === undefined) {
    return (
      <Confirm
        title={texts.rotateTitle(hostOf(webhook.url))}
        action={texts.rotate}
        busy={rotate.isRunning}
        error={<ChangeFault fault={rotate.fault} />}
        confirm={() => rotate.run({})}
        close={close}
      >
        <p>{texts.rotateText}</p>
      </Confirm>
    )
  }
  return (
    <Dialog title={texts.rotated} close={close}>
      <div class="webhook-saved">
        <ShownSecret secret={rotated.secret} />
        <p>
          {texts.oldUntil}{" "}
          <Moment at={new Date(Date.parse(rotated.updated_at) + OVERLAP).toISOString()} exact />
        </p>
        <div class="form-actions">
          <button type="button" class="primary" onClick={close}>
            {texts.done}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
