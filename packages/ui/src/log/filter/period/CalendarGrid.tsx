/** A month to choose days from, by the keys of the WAI-ARIA date grid. */
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { useLanguage } from "../../../locale/Messages.ts"
import { Icon } from "../../../theme/Icon.tsx"
import { dateOf, dayFormat, firstWeekday, monthOf, monthsAfter, weekOf, weeksOf } from "./Calendar.ts"

/** The day that a key leads to; undefined for a key that leads nowhere. */
const dayAfter = ({ key, shiftKey }: KeyboardEvent, day: number, first: number): number | undefined => {
  const months = shiftKey ? 12 : 1
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: day - 1,
    ArrowRight: day + 1,
    ArrowUp: day - 7,
    ArrowDown: day + 7,
    Home: weekOf(day, first),
    End: weekOf(day, first) + 6,
    PageUp: monthsAfter(day, -months),
    PageDown: monthsAfter(day, months)
  }
  return Object.hasOwn(steps, key) ? steps[key] : undefined
}

/** The names of weekdays, from the first of a week on. */
const Weekdays = ({ week }: { readonly week: ReadonlyArray<number> }) => {
  const { locale } = useLanguage()
  const [short, long] = [dayFormat(locale, { weekday: "short" }), dayFormat(locale, { weekday: "long" })]
  return (
    <div class="calendar-week" role="row">
      {week.map((day) => (
        <span key={day} role="columnheader" aria-label={long(day)}>
          {short(day)}
        </span>
      ))}
    </div>
  )
}

/** The name of the month, between what leads to the ones beside it. */
const Head = ({
  id,
  at,
  move
}: {
  readonly id: string
  readonly at: number
  readonly move: (day: number) => void
}) => {
  const { locale, messages } = useLanguage()
  const title = dayFormat(locale, { year: "numeric", month: "long" })
  return (
    <div class="calendar-head">
      <button type="button" class="bare" onClick={() => move(monthsAfter(at, -1))}>
        <Icon name="left" />
        <span class="hidden">{messages.filter.monthBefore}</span>
      </button>
      <span id={id} aria-live="polite">
        {title(at)}
      </span>
      <button type="button" class="bare" onClick={() => move(monthsAfter(at, 1))}>
        <Icon name="right" />
        <span class="hidden">{messages.filter.monthAfter}</span>
      </button>
    </div>
  )
}

/** The month of the day that the keyboard is at. */
export const CalendarGrid = ({
  at,
  today,
  from,
  to,
  move,
  choose
}: {
  readonly at: number
  readonly today: number
  /** The days that are chosen, the ends among them; undefined for an open end. */
  readonly from: number | undefined
  readonly to: number | undefined
  readonly move: (day: number) => void
  readonly choose: (day: number) => void
}) => {
  const { locale } = useLanguage()
  const heading = useId()
  const grid = useRef<HTMLDivElement>(null)
  const isMoved = useRef(false)
  const first = firstWeekday(locale)
  const weeks = weeksOf(at, first)
  const [, month] = monthOf(at)
  const full = dayFormat(locale, { dateStyle: "full" })
  const number = dayFormat(locale, { day: "numeric" })
  const isChosen = (day: number) =>
    (from ?? to) !== undefined && day >= (from ?? Number.NEGATIVE_INFINITY) && day <= (to ?? today)
  useLayoutEffect(() => {
    if (isMoved.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
    isMoved.current = false
  }, [at])
  const onKeyDown = (event: KeyboardEvent) => {
    const next = dayAfter(event, at, first)
    if (next === undefined && event.key !== "Enter" && event.key !== " ") return
    event.preventDefault()
    if (next === undefined) return choose(at)
    isMoved.current = true
    move(next)
  }
  return (
    <div class="calendar">
      <Head id={heading} at={at} move={move} />
      <div ref={grid} role="grid" aria-labelledby={heading} onKeyDown={onKeyDown}>
        <Weekdays week={weeks[0] ?? []} />
        {weeks.map((week) => (
          <div key={week[0]} class="calendar-week" role="row">
            {week.map((day) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the grid around it has the keys.
              <div
                key={day}
                role="gridcell"
                tabIndex={day === at ? 0 : -1}
                data-day={dateOf(day)}
                data-beside={monthOf(day)[1] !== month}
                aria-label={full(day)}
                aria-selected={isChosen(day)}
                {...(day === today ? { "aria-current": "date" } : {})}
                onClick={() => choose(day)}
              >
                {number(day)}
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
