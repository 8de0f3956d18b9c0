/** A log as a reader sees it. */
import type { Event } from "@cairn/core/event"
import type { ComponentChildren } from "preact"
import { useCallback, useEffect, useState } from "preact/hooks"
import { useLanguage } from "../locale/Messages.ts"
import { usePageClock } from "../locale/PageClock.ts"
import { RefusalNotice } from "../notice/Notice.tsx"
import { withCondition } from "../place/Filter.ts"
import type { LogPart } from "../place/LogPart.ts"
import { Icon } from "../theme/Icon.tsx"
import { EventDrawer } from "./drawer/EventDrawer.tsx"
import { FilterBar } from "./filter/FilterBar.tsx"
import { HistogramChart } from "./histogram/HistogramChart.tsx"
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

const Toolbar = ({
  reader,
  hidden
}: {
  readonly reader: LogReader
  readonly hidden: ReadonlySet<LogPart>
}) => {
  const { messages, number } = useLanguage()
  const pages = reader.pages.value
  const total = pages.total.value
  const isRelative = reader.place.value.timeStyle === "relative"
  return (
    <div class="toolbar">
      <p role="status" class="total">
        {total !== undefined
          ? messages.total(total, number(total))
          : pages.uncounted.value
            ? null
            : messages.counting}
      </p>
      {!hidden.has("times") && (
        <button type="button" class="bare" onClick={() => reader.switchTimes()}>
          <Icon name="clock" /> {isRelative ? messages.showAbsolute : messages.showRelative}
        </button>
      )}
      <button type="button" class="bare" onClick={() => reader.refresh()}>
        <Icon name="refresh" /> {messages.refresh}
      </button>
    </div>
  )
}

/** Nothing is hidden. */
const ALL_SHOWN: ReadonlySet<LogPart> = new Set()

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
    <>
      {!hidden.has("filters") && <FilterBar reader={reader} />}
      {!hidden.has("histogram") && histogram !== undefined && histogram.buckets.length > 0 && (
        <HistogramChart histogram={histogram} choose={choose} />
      )}
      {!hidden.has("toolbar") && <Toolbar reader={reader} hidden={hidden} />}
      <EventList reader={reader} now={now} nothing={nothing} />
      <EventDrawer reader={reader} now={now} {...(actions === undefined ? {} : { actions })} />
    </>
  )
}
