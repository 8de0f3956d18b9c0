/** A log as a reader sees it. */
import type { Event } from "@cairn/core/event"
import type { ComponentChildren } from "preact"
import { useCallback, useEffect, useMemo, useState } from "preact/hooks"
import { type Language, LanguageContext, useLanguage } from "../locale/Messages.ts"
import { MomentFormat } from "../locale/Moment.ts"
import { usePageClock } from "../locale/PageClock.ts"
import { RefusalNotice } from "../notice/Notice.tsx"
import type { LogPart } from "../place/LogPart.ts"
import { endsBetween } from "../place/Period.ts"
import { EventDrawer } from "./drawer/EventDrawer.tsx"
import { FilterBar } from "./filter/FilterBar.tsx"
import { HistogramChart, HistogramWait } from "./histogram/HistogramChart.tsx"
import type { LogReader } from "./LogReader.ts"
import { EventList } from "./list/EventList.tsx"
import { CopyLink } from "./toolbar/CopyLink.tsx"
import { Toolbar } from "./toolbar/Toolbar.tsx"

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

/** Nothing is hidden. */
const ALL_SHOWN: ReadonlySet<LogPart> = new Set()

/** The first stop of the tabulator key leads past all others, to the list. */
const SkipLink = () => {
  const { messages } = useLanguage()
  return (
    <button
      type="button"
      class="skip-list"
      onClick={() => document.querySelector<HTMLElement>(".rows [tabindex='0']")?.focus()}
    >
      {messages.keys.skip}
    </button>
  )
}

/** A log: what filters it, how much happened when, its events, and the one that is open. */
export const LogView = ({
  reader,
  actions,
  nothing,
  hidden = ALL_SHOWN
}: {
  readonly reader: LogReader
  /** What else can be done with an open event. */
  readonly actions?: (event: Event) => ComponentChildren
  /** What else is said where no event matches. */
  readonly nothing?: ComponentChildren
  /** Parts that are not shown. */
  readonly hidden?: ReadonlySet<LogPart>
}) => {
  const now = useNow()
  const language = useZone(reader)
  const histogram = reader.histogram.value
  const choose = useCallback(
    (from: number, to: number) => {
      reader.filterBy({ ...reader.place.value.filter, ...endsBetween(from * 1000, to * 1000) })
    },
    [reader]
  )
  const refusal = reader.shut.value
  if (refusal !== undefined) return <RefusalNotice refusal={refusal} retry={() => reader.refresh()} />
  return (
    <LanguageContext.Provider value={language}>
      <SkipLink />
      {!hidden.has("filters") && <FilterBar reader={reader} />}
      {!hidden.has("histogram") && histogram === undefined && <HistogramWait />}
      {!hidden.has("histogram") && histogram && histogram.buckets.length > 0 && (
        <HistogramChart histogram={histogram} choose={choose} />
      )}
      {!hidden.has("toolbar") && <Toolbar reader={reader} now={now} hidden={hidden} />}
      <EventList reader={reader} now={now} nothing={nothing} />
      <EventDrawer
        reader={reader}
        now={now}
        actions={(event) => (
          <>
            <CopyLink address={reader.addressOf(event)} />
            {actions?.(event)}
          </>
        )}
      />
    </LanguageContext.Provider>
  )
}
