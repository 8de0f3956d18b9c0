/** The dialogs that turn a webhook off and that delete it. */
import { Confirm } from "@cairn/ui/parts"
import { useChange } from "../../data/Read.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { hostOf, type Webhook } from "./Webhook.ts"
import { webhookTexts } from "./WebhookTexts.ts"

interface Asked {
  readonly webhook: Webhook
  readonly close: () => void
}

/** Asks, and turns it off. */
export const TurnOffDialog = ({ webhook, close }: Asked) => {
  const texts = useTexts(webhookTexts)
  const off = useChange(
    ["webhooks", "webhook"],
    (calls) => calls.webhooks.update(webhook.id, { enabled: false }),
    close
  )
  return (
    <Confirm
      title={texts.turnOffTitle(hostOf(webhook.url))}
      action={texts.turnOff}
      busy={off.isRunning}
      error={<ChangeFault fault={off.fault} />}
      confirm={() => off.run({})}
      close={close}
    >
      <p>{texts.turnOffText}</p>
    </Confirm>
  )
}

/** Asks for its name, and deletes it; `removed` leads away from its page. */
export const RemoveDialog = ({
  webhook,
  close,
  removed
}: Asked & {
  readonly removed: () => void
}) => {
  const texts = useTexts(webhookTexts)
  const host = hostOf(webhook.url)
  // Its own page, which it has no longer, is not read again.
  const remove = useChange(["webhooks"], (calls) => calls.webhooks.delete(webhook.id), removed)
  return (
    <Confirm
      title={texts.removeTitle(host)}
      action={texts.remove}
      name={host}
      dangerous
      busy={remove.isRunning}
      error={<ChangeFault fault={remove.fault} />}
      confirm={() => remove.run({})}
      close={close}
    >
      <p>{texts.removeText}</p>
    </Confirm>
  )
}
