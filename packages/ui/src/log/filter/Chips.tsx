/** All that is set, each value with a button that removes it. The tabulator key stops here once. */
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { countryName } from "../../locale/Country.ts"
import { useLanguage } from "../../locale/Messages.ts"
import { millisOf } from "../../locale/Moment.ts"
import { usePageClock } from "../../locale/PageClock.ts"
import { CONDITION_NAMES, type Filter, timeless, type ValuesName, withLess } from "../../place/Filter.ts"
import type { Place } from "../../place/Place.ts"
import { PlainText } from "../../text/PlainText.tsx"
import { visibleText } from "../../text/VisibleText.ts"
import { Icon } from "../../theme/Icon.tsx"
import type { LogReader } from "../LogReader.ts"
import type { ValueNames } from "./ValueNames.ts"

/** Characters of a value that a chip shows. */
const LIMIT = 80

/** A value with its button. */
const Value = ({
  label,
  text,
  remove
}: {
  readonly label: string
  readonly text: string
  readonly remove: () => void
}) => {
  const { messages } = useLanguage()
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={messages.remove(`${label} ${visibleText(text, LIMIT)}`)}
      onClick={remove}
    >
      <PlainText text={text} limit={LIMIT} />
      <Icon name="close" />
    </button>
  )
}

const Chip = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  <li class="chip">
    <span>{label}:</span> {children}
  </li>
)

/** The values of a condition: one of them, or of the search all of them. */
const Values = ({
  reader,
  filter,
  name,
  names
}: {
  readonly reader: LogReader
  readonly filter: Filter
  readonly name: ValuesName
  readonly names: ValueNames
}) => {
  const { messages, locale } = useLanguage()
  const values = filter[name] ?? []
  if (values.length === 0) return null
  const label = messages.conditions[name]
  const shown = (value: string): string => {
    if (name === "actor_id") return reader.actors.value.get(value) ?? value
    return name === "country" ? countryName(value, locale) : (names.of(reader, name, value) ?? value)
  }
  return (
    <Chip label={label}>
      {values.map((value, index) => (
        <span key={value}>
          {index > 0 && (
            <span class="muted">{name === "search" ? messages.filter.and : messages.filter.or} </span>
          )}
          <Value
            label={label}
            text={shown(value)}
            remove={() => reader.filterBy(withLess(filter, name, value))}
          />
        </span>
      ))}
    </Chip>
  )
}

/** The period: by its name with the days that it is of, or its ends. */
const Period = ({
  reader,
  place: { filter, period }
}: {
  readonly reader: LogReader
  readonly place: Place
}) => {
  const { messages, moments } = useLanguage()
  const clock = usePageClock()
  const { from, to } = filter
  if (from === undefined && to === undefined) return null
  const shown = (text: string) => moments.absolute(millisOf(text)) || text
  if (period !== undefined) {
    const days = moments.days(millisOf(from ?? ""), to === undefined ? clock.now() : millisOf(to))
    return (
      <Chip label={messages.period}>
        <Value
          label={messages.period}
          text={`${messages.periods[period]}, ${days}`}
          remove={() => reader.choosePeriod(undefined)}
        />
      </Chip>
    )
  }
  const label =
    to === undefined
      ? messages.conditions.from
      : from === undefined
        ? messages.conditions.to
        : messages.period
  return (
    <Chip label={label}>
      <Value
        label={label}
        text={[from, to].flatMap((time) => (time === undefined ? [] : [shown(time)])).join(" – ")}
        remove={() => reader.filterBy(timeless(filter))}
      />
    </Chip>
  )
}

const VALUE_NAMES: ReadonlyArray<ValuesName> = ["search", ...CONDITION_NAMES]

/** The button that a key leads to from another one; undefined for a key that leads nowhere. */
const buttonAfter = (key: string, at: number, count: number): number | undefined => {
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: Math.min(at + 1, count - 1),
    ArrowLeft: Math.max(at - 1, 0),
    Home: 0,
    End: count - 1
  }
  return Object.hasOwn(steps, key) ? steps[key] : undefined
}

/** The one stop of the tabulator key among the buttons, and where the focus goes once a button is gone. */
const useOneStop = (leave: () => void) => {
  const list = useRef<HTMLUListElement>(null)
  const [stop, setStop] = useState(0)
  const pressed = useRef<number | undefined>(undefined)
  const buttons = () => Array.from(list.current?.querySelectorAll("button") ?? [])
  const indexOf = (target: EventTarget | null) =>
    buttons().findIndex((button) => target instanceof Node && button.contains(target))
  useLayoutEffect(() => {
    const all = buttons()
    const at = Math.min(pressed.current ?? stop, all.length - 1)
    for (const [index, button] of all.entries()) button.tabIndex = index === at ? 0 : -1
    if (pressed.current === undefined) return
    pressed.current = undefined
    if (all[at] === undefined) leave()
    else all[at].focus()
  })
  const handlers = {
    // Before the button hears of it, after which it is gone.
    onClickCapture: ({ target }: Event) => {
      const at = indexOf(target)
      if (at >= 0) pressed.current = at
    },
    onFocusIn: ({ target }: Event) => setStop(Math.max(0, indexOf(target))),
    onKeyDown: (event: KeyboardEvent) => {
      const all = buttons()
      const at = indexOf(event.target)
      if (event.key === "Delete" || event.key === "Backspace") all[at]?.click()
      const next = buttonAfter(event.key, at, all.length)
      if (next === undefined) return
      event.preventDefault()
      all[next]?.focus()
    }
  }
  return { list, handlers }
}

/** All conditions that are set. `leave` puts the focus elsewhere once none is left. */
export const Chips = ({
  reader,
  names,
  leave
}: {
  readonly reader: LogReader
  readonly names: ValueNames
  readonly leave: () => void
}) => {
  const { messages } = useLanguage()
  const { list, handlers } = useOneStop(leave)
  // Handed down, so that all buttons are drawn before the focus is put on one of them.
  const place = reader.place.value
  if (Object.keys(place.filter).length === 0) return null
  return (
    <ul ref={list} class="chips" aria-label={messages.filters} {...handlers}>
      {VALUE_NAMES.map((name) => (
        <Values key={name} reader={reader} filter={place.filter} name={name} names={names} />
      ))}
      <Period reader={reader} place={place} />
      <li>
        <button type="button" class="link" tabIndex={-1} onClick={() => reader.filterBy({})}>
          {messages.clearFilters}
        </button>
      </li>
    </ul>
  )
}
