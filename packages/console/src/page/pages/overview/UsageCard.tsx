/** What was used of the month's allowance. */
import { useLanguage } from "@cairn/ui/locale"
import { Card, Facts, Meter, Moment } from "@cairn/ui/parts"
import type { Schemas } from "../../data/Session.ts"
import { Loaded } from "../../frame/Loaded.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { overviewTexts } from "./OverviewTexts.ts"
import type { Readings } from "./Readings.ts"

const Figure = ({
  label,
  figure: { used, limit }
}: {
  readonly label: string
  readonly figure: Schemas["UsageFigure"]
}) => {
  const texts = useTexts(overviewTexts)
  const { number } = useLanguage()
  if (limit === null) return <>{texts.unlimited(number(used))}</>
  return (
    <>
      {texts.ofLimit(number(used), number(limit))}
      <Meter label={label} value={used} limit={limit} />
    </>
  )
}

/** The card. */
export const UsageCard = ({ usage }: Readings) => {
  const texts = useTexts(overviewTexts)
  const { moments } = useLanguage()
  const begin = usage.data && moments.absolute(Date.parse(usage.data.period_start))
  return (
    <Card title={texts.month} hint={begin && texts.monthHint(begin)}>
      <Loaded read={usage}>
        {({ events, exports, period_end: end }) => (
          <Facts
            of={[
              [texts.eventsUsed, <Figure key="events" label={texts.eventsUsed} figure={events} />],
              [texts.exportsUsed, <Figure key="exports" label={texts.exportsUsed} figure={exports} />],
              [texts.resets, <Moment key="end" at={end} />]
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}
