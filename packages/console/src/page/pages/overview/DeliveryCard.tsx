/** Whether what happens reaches those who want to know. */
import { useLanguage } from "@cairn/ui/locale"
import { Badge, Card, Facts } from "@cairn/ui/parts"
import { type Schemas, useAddress } from "../../data/Session.ts"
import { useTexts } from "../../locale/Texts.ts"
import { overviewTexts } from "./OverviewTexts.ts"
import type { Readings } from "./Readings.ts"
import { fails } from "./Tasks.ts"

const Webhooks = ({ all }: { readonly all: ReadonlyArray<Schemas["Webhook"]> }) => {
  const texts = useTexts(overviewTexts)
  const { number } = useLanguage()
  const failing = all.filter(fails).length
  const off = all.filter(({ enabled, disabled_reason: reason }) => !enabled && reason === null).length
  if (all.length === 0) return <span class="muted">{texts.none}</span>
  if (failing > 0) return <Badge tone="bad">{texts.failing(number(failing))}</Badge>
  if (off === all.length) return <Badge tone="calm">{texts.off(number(off))}</Badge>
  return <Badge tone="good">{texts.allWell}</Badge>
}

const Streams = ({ all }: { readonly all: ReadonlyArray<Schemas["LogStream"]> }) => {
  const texts = useTexts(overviewTexts)
  const { number } = useLanguage()
  if (all.length === 0) return <span class="muted">{texts.none}</span>
  const failing = all.filter(({ status }) => status === "down" || status === "retrying").length
  if (failing > 0) return <Badge tone="bad">{texts.failing(number(failing))}</Badge>
  const lag = Math.max(...all.map((stream) => stream.lag))
  if (lag > 0) return <Badge tone="warning">{texts.behind(number(lag))}</Badge>
  return <Badge tone="good">{texts.upToDate}</Badge>
}

/** The card; nothing for those who may see neither. */
export const DeliveryCard = ({ webhooks, streams }: Readings) => {
  const texts = useTexts(overviewTexts)
  const address = useAddress()
  if (webhooks.data === undefined && streams.data === undefined) return null
  return (
    <Card title={texts.delivered}>
      <Facts
        of={[
          [
            texts.webhooks,
            webhooks.data && (
              <a key="webhooks" href={address("webhooks")}>
                <Webhooks all={webhooks.data} />
              </a>
            )
          ],
          [
            texts.streams,
            streams.data && (
              <a key="streams" href={address("streams")}>
                <Streams all={streams.data} />
              </a>
            )
          ]
        ]}
      />
    </Card>
  )
}
