/** The page. */
import { useCallback, useEffect, useState } from "preact/hooks"
import { EventDrawer } from "./drawer/EventDrawer.tsx"
import { withCondition } from "./filter/Filter.ts"
import { FilterBar } from "./filter/FilterBar.tsx"
import { HistogramChart } from "./histogram/HistogramChart.tsx"
import { EventList } from "./list/EventList.tsx"
import { type Language, LanguageContext, useLanguage } from "./locale/Messages.ts"
import { Notice, RefusalNotice } from "./notice/Notice.tsx"
import type { Viewer } from "./state/Viewer.ts"
import { Icon } from "./theme/Icon.tsx"

/** How often relative times are updated, in milliseconds. */
const TICK = 20_000

/** The time, every now and then. */
const useNow = (): number => {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK)
    return () => clearInterval(timer)
  }, [])
  return now
}

const Toolbar = ({ viewer }: { readonly viewer: Viewer }) => {
  const { messages, number } = useLanguage()
  const pages = viewer.pages.value
  const total = pages.total.value
  const isRelative = viewer.place.value.timeStyle === "relative"
  return (
    <div class="toolbar">
      <p role="status" class="total">
        {total !== undefined
          ? messages.total(total, number(total))
          : pages.uncounted.value
            ? null
            : messages.counting}
      </p>
      <button type="button" class="bare" onClick={() => viewer.switchTimes()}>
        <Icon name="clock" /> {isRelative ? messages.showAbsolute : messages.showRelative}
      </button>
      <button type="button" class="bare" onClick={() => viewer.refresh()}>
        <Icon name="refresh" /> {messages.refresh}
      </button>
    </div>
  )
}

const Log = ({ viewer }: { readonly viewer: Viewer }) => {
  const now = useNow()
  const histogram = viewer.histogram.value
  const choose = useCallback(
    (from: number, to: number) => {
      const moment = (seconds: number) => new Date(seconds * 1000).toISOString()
      const { filter } = viewer.place.value
      viewer.filterBy(withCondition(withCondition(filter, "from", moment(from)), "to", moment(to)))
    },
    [viewer]
  )
  const refusal = viewer.shut.value
  if (refusal !== undefined) return <RefusalNotice refusal={refusal} retry={() => viewer.refresh()} />
  return (
    <>
      <FilterBar viewer={viewer} />
      {histogram !== undefined && histogram.buckets.length > 0 && (
        <HistogramChart histogram={histogram} choose={choose} />
      )}
      <Toolbar viewer={viewer} />
      <EventList viewer={viewer} now={now} />
      <EventDrawer viewer={viewer} now={now} />
    </>
  )
}

/** The page, in a language; `viewer` is undefined if it was opened without a token. */
export const App = ({
  viewer,
  language
}: {
  readonly viewer: Viewer | undefined
  readonly language: Language
}) => {
  const { messages } = language
  return (
    <LanguageContext.Provider value={language}>
      <main>
        <h1 class="hidden">{messages.title}</h1>
        {viewer === undefined ? (
          <Notice title={messages.missing} hint={messages.missingHint} alert />
        ) : (
          <Log viewer={viewer} />
        )}
      </main>
    </LanguageContext.Provider>
  )
}
