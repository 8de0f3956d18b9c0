/** The control for time: periods by name, and a calendar for one's own. */
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { useLanguage } from "../../../locale/Messages.ts"
import { millisOf } from "../../../locale/Moment.ts"
import { usePageClock } from "../../../locale/PageClock.ts"
import { timeless } from "../../../place/Filter.ts"
import { PERIOD_NAMES } from "../../../place/Period.ts"
import { Icon } from "../../../theme/Icon.tsx"
import type { LogReader } from "../../LogReader.ts"
import { beginningOf, dateOf, dayOf, type Edge, edgeOf, endOf, todayIn } from "./Calendar.ts"
import { CalendarGrid } from "./CalendarGrid.tsx"

/** The times of the first and the last second of a day, which need not be shown. */
const DAY_BEGINS = "00:00:00"
const DAY_ENDS = "23:59:59"

interface PanelProps {
  readonly reader: LogReader
  readonly close: () => void
}

/** The periods that have a name. */
const Named = ({ reader, close }: PanelProps) => {
  const { messages } = useLanguage()
  const { filter, period } = reader.place.value
  const chosen = period ?? (filter.from === undefined && filter.to === undefined ? "all" : undefined)
  return (
    <div class="period-names" role="group" aria-label={messages.filter.named}>
      {(["all", ...PERIOD_NAMES] as const).map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === chosen}
          onClick={() => {
            reader.choosePeriod(name === "all" ? undefined : name)
            close()
          }}
        >
          {messages.periods[name]}
        </button>
      ))}
    </div>
  )
}

/** One end of a period, as a date and a time that may be left out. */
const EdgeFields = ({
  label,
  edge,
  change
}: {
  readonly label: string
  readonly edge: Edge
  readonly change: (edge: Edge) => void
}) => {
  const { filter } = useLanguage().messages
  return (
    <fieldset class="edge">
      <legend>{label}</legend>
      <input
        type="date"
        aria-label={`${label}: ${filter.date}`}
        value={edge.date}
        onInput={({ currentTarget }) => change({ ...edge, date: currentTarget.value })}
      />
      <input
        type="time"
        aria-label={`${label}: ${filter.time}`}
        value={edge.time}
        onInput={({ currentTarget }) => change({ ...edge, time: currentTarget.value })}
      />
    </fieldset>
  )
}

/** A period of one's own: from and to, by the calendar or as typed. */
const Own = ({ reader, close }: PanelProps) => {
  const { messages, moments } = useLanguage()
  const { filter, conditions } = messages
  const now = usePageClock().now()
  const { filter: given, zone } = reader.place.value
  const [from, setFrom] = useState(() => edgeOf(given.from, zone, DAY_BEGINS))
  const [to, setTo] = useState(() => edgeOf(given.to, zone, DAY_ENDS))
  const [at, move] = useState(() => dayOf(from.date) ?? dayOf(to.date) ?? todayIn(now, zone))
  /** The day that was chosen first, until the other end follows. */
  const [anchor, setAnchor] = useState<number | undefined>(undefined)
  const choose = (day: number) => {
    const other = anchor ?? day
    setFrom({ ...from, date: dateOf(Math.min(day, other)) })
    setTo({ ...to, date: dateOf(Math.max(day, other)) })
    setAnchor(anchor === undefined ? day : undefined)
    move(day)
  }
  const [begin, end] = [beginningOf(from, zone), endOf(to, zone)]
  const isWrong = begin !== undefined && end !== undefined && Date.parse(begin) > Date.parse(end)
  const apply = () => {
    if (isWrong) return
    const others = timeless(given)
    reader.filterBy({
      ...others,
      ...(begin === undefined ? {} : { from: begin }),
      ...(end === undefined ? {} : { to: end })
    })
    close()
  }
  return (
    <form
      class="period-own"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <CalendarGrid
        at={at}
        today={todayIn(now, zone)}
        from={dayOf(from.date)}
        to={dayOf(to.date)}
        move={move}
        choose={choose}
      />
      <EdgeFields label={conditions.from} edge={from} change={setFrom} />
      <EdgeFields label={conditions.to} edge={to} change={setTo} />
      <p class="hint">{filter.zone(moments.zone(now))}</p>
      <p class="period-wrong" role="alert">
        {isWrong ? filter.wrongOrder : ""}
      </p>
      <button type="submit" class="primary">
        {filter.apply}
      </button>
    </form>
  )
}

/** What is chosen, in a few words. */
const useChosen = (reader: LogReader): string => {
  const { messages, moments } = useLanguage()
  const { filter, period, zone } = reader.place.value
  const { from, to } = filter
  if (period !== undefined) return messages.periods[period]
  if (from === undefined && to === undefined) return messages.periods.all
  const isOfDays = [edgeOf(from, zone, DAY_BEGINS), edgeOf(to, zone, DAY_ENDS)].every(
    ({ time }) => time === ""
  )
  const tell = (of: number, until: number) => (isOfDays ? moments.days(of, until) : moments.hours(of, until))
  const ends = tell(millisOf(from ?? to ?? ""), millisOf(to ?? from ?? ""))
  if (ends === "" || (from !== undefined && to !== undefined)) return ends || messages.periods.custom
  return `${messages.conditions[from === undefined ? "to" : "from"]} ${ends}`
}

/** The control: a button that says the period, and what it opens. */
export const PeriodControl = ({ reader }: Omit<PanelProps, "close">) => {
  const { messages } = useLanguage()
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const control = useRef<HTMLDivElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const chosen = useChosen(reader)
  useEffect(() => {
    if (isOpen) panel.current?.querySelector<HTMLElement>('[aria-pressed="true"], button')?.focus()
  }, [isOpen])
  useEffect(() => {
    if (!isOpen) return
    const leave = ({ target }: PointerEvent) => {
      if (target instanceof Node && control.current?.contains(target) === false) setOpen(false)
    }
    document.addEventListener("pointerdown", leave)
    return () => document.removeEventListener("pointerdown", leave)
  }, [isOpen])
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of what is in it.
    <div
      ref={control}
      class="period"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return
        event.preventDefault()
        close()
      }}
      onFocusOut={({ relatedTarget, currentTarget }) => {
        if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) setOpen(false)
      }}
    >
      <button
        ref={button}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        {...(isOpen ? { "aria-controls": id } : {})}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="calendar" /> <span class="hidden">{messages.period}: </span>
        {chosen}
      </button>
      {isOpen && (
        <div ref={panel} id={id} class="period-panel" role="dialog" aria-label={messages.period}>
          <Named reader={reader} close={close} />
          <Own reader={reader} close={close} />
        </div>
      )}
    </div>
  )
}
