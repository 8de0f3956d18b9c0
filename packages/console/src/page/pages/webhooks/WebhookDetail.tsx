/** A webhook's own page: how it does, what can be done with it, and what was sent to it. */
import { Card, CopyButton, Facts, Glyph, Moment } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { useChange, useRead } from "../../data/Read.ts"
import { useAddress, useMay } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { Loaded } from "../../frame/Loaded.tsx"
import { ThingHead } from "../../frame/ThingHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { DeliveryList } from "./deliveries/DeliveryList.tsx"
import { deliveryTexts } from "./deliveries/DeliveryTexts.ts"
import { TestDialog } from "./deliveries/TestPanel.tsx"
import { getsAll, hostOf, MESSAGE_TYPES, stateOf, type Webhook } from "./Webhook.ts"
import { WebhookBadge } from "./WebhookBadge.tsx"
import { ABOUT_DELIVERIES, RotateDialog, WebhookDialog } from "./WebhookDialogs.tsx"
import { RemoveDialog, TurnOffDialog } from "./WebhookSwitches.tsx"
import { webhookTexts } from "./WebhookTexts.ts"

type Open = "test" | "change" | "off" | "rotate" | "remove"

const OpenDialog = ({
  open,
  webhook,
  close
}: {
  readonly open: Open | undefined
  readonly webhook: Webhook
  readonly close: () => void
}) => {
  const address = useAddress()
  const { route } = useLocation()
  const props = { webhook, close }
  switch (open) {
    case "test":
      return (
        <TestDialog
          name={hostOf(webhook.url)}
          about={ABOUT_DELIVERIES}
          send={(calls) => calls.webhooks.test(webhook.id)}
          close={close}
        />
      )
    case "change":
      return <WebhookDialog {...props} />
    case "off":
      return <TurnOffDialog {...props} />
    case "rotate":
      return <RotateDialog {...props} />
    case "remove":
      return <RemoveDialog {...props} removed={() => route(address("webhooks"), true)} />
    default:
      return null
  }
}

const Actions = ({ webhook, open }: { readonly webhook: Webhook; readonly open: (which: Open) => void }) => {
  const texts = useTexts(webhookTexts)
  const { test } = useTexts(deliveryTexts)
  const on = useChange(["webhooks", "webhook"], (calls) =>
    calls.webhooks.update(webhook.id, { enabled: true })
  )
  return (
    <>
      <button type="button" class="primary" onClick={() => open("test")}>
        <Glyph name="play" /> {test}
      </button>
      <button type="button" onClick={() => open("change")}>
        {texts.change}
      </button>
      {webhook.enabled ? (
        <button type="button" onClick={() => open("off")}>
          {texts.turnOff}
        </button>
      ) : (
        <button type="button" disabled={on.isRunning} onClick={() => on.run({})}>
          {texts.turnOn}
        </button>
      )}
      <button type="button" onClick={() => open("rotate")}>
        {texts.rotate}
      </button>
      <button type="button" onClick={() => open("remove")}>
        {texts.remove}
      </button>
      <ChangeFault fault={on.fault} />
    </>
  )
}

const Details = ({ webhook, mayChange }: { readonly webhook: Webhook; readonly mayChange: boolean }) => {
  const texts = useTexts(webhookTexts)
  const types = MESSAGE_TYPES.filter((type) => webhook.types.includes(type))
  return (
    <Card title={texts.details} hint={texts.stateHints[stateOf(webhook)]}>
      <Facts
        of={[
          [
            texts.address,
            <span key="url">
              <code>
                <PlainText text={webhook.url} />
              </code>
              {mayChange ? <CopyButton text={webhook.url} /> : <p class="hint">{texts.addressHidden}</p>}
            </span>
          ],
          [
            texts.description,
            webhook.description === null ? undefined : <PlainText key="about" text={webhook.description} />
          ],
          [
            texts.gets,
            <ul key="types" class="plain">
              {types.map((type) => (
                <li key={type}>
                  {texts.types[type]} <code class="muted">{type}</code>
                </li>
              ))}
            </ul>
          ],
          [texts.made, <Moment key="made" at={webhook.created_at} />],
          [texts.changed, <Moment key="changed" at={webhook.updated_at} />],
          ["Id", <code key="id">{webhook.id}</code>]
        ]}
      />
    </Card>
  )
}

/** The kinds of messages in a few words. */
export const Gets = ({ webhook }: { readonly webhook: Webhook }) => {
  const texts = useTexts(webhookTexts)
  if (getsAll(webhook)) return <>{texts.allTypes}</>
  return (
    <>
      {MESSAGE_TYPES.filter((type) => webhook.types.includes(type)).map((type) => (
        <code key={type} class="webhook-type" title={texts.types[type]}>
          {type}
        </code>
      ))}
    </>
  )
}

/** The page of the webhook of an id. */
export const WebhookDetail = ({ id }: { readonly id: string }) => {
  const texts = useTexts(deliveryTexts)
  const mayChange = useMay("webhooks:write")
  const [open, setOpen] = useState<Open>()
  const read = useRead(["webhook", id], (calls, signal) => calls.webhooks.get(id, { signal }))
  const webhook = read.data?.data
  return (
    <>
      <ThingHead
        page="webhooks"
        title={<PlainText text={webhook === undefined ? id : hostOf(webhook.url)} limit={80} />}
        state={webhook !== undefined && <WebhookBadge webhook={webhook} />}
      >
        {webhook !== undefined && mayChange && <Actions webhook={webhook} open={setOpen} />}
      </ThingHead>
      <Loaded read={read}>
        {({ data }) => (
          <>
            <Details webhook={data} mayChange={mayChange} />
            <Card title={texts.deliveries} hint={texts.hint}>
              <DeliveryList webhookId={id} />
            </Card>
            <OpenDialog open={open} webhook={data} close={() => setOpen(undefined)} />
          </>
        )}
      </Loaded>
    </>
  )
}
