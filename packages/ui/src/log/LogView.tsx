/** A log as a reader sees it. */
import type { Event } from "@cairn/core/event"
import type { ComponentChildren } from "preact"
import { useCallback, useEffect, useMemo, useState } from "preact/hooks"
import { type Language, LanguageContext, useLanguage } from "../locale/Messages.ts"
import { MomentFormat } from "../locale/Moment.ts"
import { usePageClock } from "../locale/PageClock.ts"
import { RefusalNotice } from "../notice/Notice.tsx"
import { withCondition } from "../place/Filter.ts"
import { Icon } from "../theme/Icon.tsx"
import { EventDrawer } from "./drawer/EventDrawer.tsx"
import { FilterBar } from "./filter/FilterBar.tsx"
import { HistogramChart, HistogramWait } from "./histogram/HistogramChart.tsx"
import type { LogReader } from "./LogReader.ts"
import { EventList } from "./list/EventList.tsx"

/** How often relative times are updated, in milliseconds. */
const TICK = 20_000

/** The time, every now and then and once the clock is put right, in milliseconds since the Unix epoch. */
export const useNow = (): number => {
  const clock = usePageClock()
  const [, draw] = useState({})
  useEffect(() => {
    const timer = setInterval(() => draw({}), TICK)
    return () => clearInterval(timer)
  }, [])
  return clock.now()
}

/** Texts and times as the page has them, the times in the zone that the reader chose. */
const useZone = (reader: LogReader): Language => {
  const language = useLanguage()
  const { zone } = reader.place.value
  return useMemo(
    () => (zone === "utc" ? { ...language, moments: new MomentFormat(language.locale, "UTC") } : language),
    [language, zone]
  )
}

const Toolbar = ({ reader, now }: { readonly reader: LogReader; readonly now: number }) => {
  const { messages, moments, number } = useLanguage()
  const pages = reader.pages.value
  const total = pages.total.value
  const { clock, timeStyle, zone } = reader.place.value
  return (
    <div class="toolbar">
      <p role="status" class="total">
        {total !== undefined
          ? messages.total(total, number(total))
          : pages.uncounted.value
            ? null
            : messages.counting}
      </p>
      <button type="button" class="bare" onClick={() => reader.switchTimes()}>
        <Icon name="clock" /> {timeStyle === "relative" ? messages.showAbsolute : messages.showRelative}
      </button>
      <button type="button" class="bare" onClick={() => reader.switchClock()}>
        {clock === "occurred" ? messages.clock.byRecording : messages.clock.byOccurrence}
      </button>
      <button
        type="button"
        class="bare"
        title={zone === "utc" ? messages.clock.inLocal : messages.clock.inUtc}
        onClick={() => reader.switchZone()}
      >
        {moments.zone(now)}
        <span class="hidden">. {zone === "utc" ? messages.clock.inLocal : messages.clock.inUtc}</span>
      </button>
      <button type="button" class="bare" onClick={() => reader.refresh()}>
        <Icon name="refresh" /> {messages.refresh}
      </button>
    </div>
  )
}

/** A log: what filters it, how much happened when, its events, and the one that is open. */
export const LogView = ({
  reader,
  actions,
  nothing
}: {
  readonly reader: LogReader
  /** What else can be done with an open event. */
  readonly actions?: (event: Event) => ComponentChildren
  /** What else is said where no event matches. */
  readonly nothing?: ComponentChildren
}) => {
  const now = useNow()
  const language = useZone(reader)
  const histogram = reader.histogram.value
  const choose = useCallback(
    (from: number, to: number) => {
      const moment = (seconds: number) => new Date(seconds * 1000).toISOString()
      const { filter } = reader.place.value
      reader.filterBy(withCondition(withCondition(filter, "from", moment(from)), "to", moment(to)))
    },
    [reader]
  )
  const refusal = reader.shut.value
  if (refusal !== undefined) return <RefusalNotice refusal={refusal} retry={() => reader.refresh()} />
  return (
    <LanguageContext.Provider value={language}>
      <FilterBar reader={reader} />
      {histogram === undefined && <HistogramWait />}
      {histogram && histogram.buckets.length > 0 && <HistogramChart histogram={histogram} choose={choose} />}
      <Toolbar reader={reader} now={now} />
      <EventList reader={reader} now={now} nothing={nothing} />
      <EventDrawer reader={reader} now={now} {...(actions === undefined ? {} : { actions })} />
    </LanguageContext.Provider>
  )
}
