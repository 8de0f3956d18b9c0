/** The webhooks of the workspace, and everything that was sent. */
import { Card, type Column, Glyph, Moment } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { useMemo } from "preact/hooks"
import { type Pages, usePages } from "../../data/Pages.ts"
import { useQuery } from "../../data/Query.ts"
import { useRead } from "../../data/Read.ts"
import { useAddress, useMay } from "../../data/Session.ts"
import { frameTexts } from "../../frame/FrameTexts.ts"
import { ListFrame } from "../../frame/ListFrame.tsx"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import type { Delivery } from "./deliveries/Delivery.ts"
import { DeliveryBadge } from "./deliveries/DeliveryDialog.tsx"
import { DeliveryList, OtherReceiver } from "./deliveries/DeliveryList.tsx"
import { deliveryTexts } from "./deliveries/DeliveryTexts.ts"
import { aboutOf, hostOf, lastDeliveries, type Webhook } from "./Webhook.ts"
import { WebhookBadge } from "./WebhookBadge.tsx"
import { Gets } from "./WebhookDetail.tsx"
import { WebhookDialog } from "./WebhookDialogs.tsx"
import { webhookTexts } from "./WebhookTexts.ts"

/** One page of the interface: deliveries among which the last of each webhook is looked for, and streams. */
const LOOKED_AT = 100

const useColumns = (): ReadonlyArray<Column<Webhook>> => {
  const texts = useTexts(webhookTexts)
  const address = useAddress()
  const recent = useRead(["deliveries", "recent"], (calls, signal) =>
    calls.deliveries.list({ channel: "webhook", limit: LOOKED_AT }, { signal }).page()
  )
  const last = useMemo(() => lastDeliveries(recent.data?.data ?? []), [recent.data])
  return [
    {
      name: texts.columns.receiver,
      cell: (webhook) => (
        <>
          <a href={address(`webhooks/${webhook.id}`)}>
            <PlainText text={hostOf(webhook.url)} limit={80} />
          </a>
          <p class="muted webhook-about">
            <PlainText text={aboutOf(webhook)} limit={120} />
          </p>
        </>
      )
    },
    { name: texts.columns.state, cell: (webhook) => <WebhookBadge webhook={webhook} /> },
    { name: texts.columns.gets, cell: (webhook) => <Gets webhook={webhook} /> },
    {
      name: texts.columns.last,
      cell: ({ id }) => {
        const delivery = last.get(id)
        if (delivery === undefined) return <span class="muted">{texts.noneLately}</span>
        return (
          <span class="webhook-last">
            <DeliveryBadge delivery={delivery} /> <Moment at={delivery.created_at} />
          </span>
        )
      }
    }
  ]
}

/** The receivers of deliveries, by name where they are webhooks that are listed. */
const useReceiver = (webhooks: Pages<Webhook>) => {
  const address = useAddress()
  const streams = useRead(
    ["streams", "names"],
    (calls, signal) => calls.logStreams.list({ limit: LOOKED_AT }, { signal }).page(),
    { enabled: useMay("log_streams:read") }
  )
  return (delivery: Delivery) => {
    if (delivery.channel === "stream") {
      const stream = streams.data?.data.find(({ id }) => id === delivery.target)
      return (
        <a href={address(`streams/${delivery.target}`)}>
          <PlainText text={stream?.name ?? delivery.target} limit={stream === undefined ? 16 : 60} />
        </a>
      )
    }
    if (delivery.channel === "mail") return <OtherReceiver delivery={delivery} />
    const webhook = webhooks.data?.data.find(({ id }) => id === delivery.target)
    return (
      <a href={address(`webhooks/${delivery.target}`)}>
        {webhook === undefined ? (
          <PlainText text={delivery.target} limit={16} />
        ) : (
          <PlainText text={`${hostOf(webhook.url)} · ${aboutOf(webhook)}`} limit={60} />
        )}
      </a>
    )
  }
}

/** The page of all webhooks. */
export const WebhookList = () => {
  const texts = useTexts(webhookTexts)
  const deliveries = useTexts(deliveryTexts)
  const { roleCannot } = useTexts(frameTexts)
  const mayChange = useMay("webhooks:write")
  const query = useQuery()
  const columns = useColumns()
  const pages = usePages<Webhook>(["webhooks", "list"], (calls, page, signal) =>
    calls.webhooks.list(page, { signal }).page()
  )
  const receiverOf = useReceiver(pages)
  const add = (
    <button type="button" class="primary" onClick={() => query.change({ new: "1" })}>
      <Glyph name="plus" /> {texts.add}
    </button>
  )
  return (
    <>
      <PageHead page="webhooks" hint={mayChange ? texts.hint : `${texts.hint} ${roleCannot}`}>
        {mayChange && add}
      </PageHead>
      <div>
        <ListFrame
          label={texts.columns.receiver}
          pages={pages}
          columns={columns}
          keyOf={({ id }) => id}
          empty={texts.empty}
          emptyHint={texts.emptyHint}
          emptyAction={mayChange && add}
        />
      </div>
      <Card title={deliveries.deliveries} hint={deliveries.allHint}>
        <DeliveryList receiverOf={receiverOf} />
      </Card>
      {mayChange && query.get("new") !== undefined && (
        <WebhookDialog close={() => query.change({ new: undefined })} />
      )}
    </>
  )
}
