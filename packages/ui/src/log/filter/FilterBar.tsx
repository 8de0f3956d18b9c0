/** The fields that filter events. Typed text takes effect after a short pause, or at once with Enter. */
import { useEffect, useRef, useState } from "preact/hooks"
import { useLanguage } from "../../locale/Messages.ts"
import { fromLocalInput, millisOf, toLocalInput } from "../../locale/Moment.ts"
import { FILTER_NAMES, type FilterName, filterParameters, withCondition } from "../../place/Filter.ts"
import { PlainText } from "../../text/PlainText.tsx"
import { visibleText } from "../../text/VisibleText.ts"
import { Icon } from "../../theme/Icon.tsx"
import type { LogReader } from "../LogReader.ts"

/** Milliseconds without a keystroke after which a text takes effect. */
const PAUSE = 350

/** Longest condition that the interface takes for an identifier. */
const MAX_LENGTH = 256

/** Periods that end now, in milliseconds. */
const PERIODS = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000, month: 30 * 86_400_000 } as const

const isPeriod = (name: string): name is keyof typeof PERIODS => Object.hasOwn(PERIODS, name)

const TextField = ({
  reader,
  name,
  hint = ""
}: {
  readonly reader: LogReader
  readonly name: FilterName
  readonly hint?: string
}) => {
  const { messages } = useLanguage()
  const applied = reader.place.value.filter[name] ?? ""
  const [text, setText] = useState(applied)
  const timer = useRef(0)
  // Changes from here do not alter the text: more may have been typed in the meantime, and a space at the end
  // may be followed by another word.
  const own = useRef(applied)
  useEffect(() => {
    if (own.current !== applied) setText(applied)
    own.current = applied
  }, [applied])
  useEffect(() => () => clearTimeout(timer.current), [])
  const apply = (value: string) => {
    clearTimeout(timer.current)
    own.current = value.trim()
    reader.narrow(name, own.current)
  }
  return (
    <label class={`field field-${name}`}>
      <span>{messages.conditions[name]}</span>
      <input
        type="search"
        value={text}
        maxLength={MAX_LENGTH}
        placeholder={hint}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        onInput={({ currentTarget: { value } }) => {
          setText(value)
          clearTimeout(timer.current)
          timer.current = setTimeout(() => apply(value), PAUSE)
        }}
        onKeyDown={({ key, currentTarget }) => key === "Enter" && apply(currentTarget.value)}
      />
    </label>
  )
}

const MomentField = ({ reader, name }: { readonly reader: LogReader; readonly name: "from" | "to" }) => {
  const { messages } = useLanguage()
  return (
    <label class="field">
      <span>{messages.conditions[name]}</span>
      <input
        type="datetime-local"
        step="1"
        value={toLocalInput(reader.place.value.filter[name])}
        onChange={({ currentTarget }) => reader.narrow(name, fromLocalInput(currentTarget.value))}
      />
    </label>
  )
}

const PeriodField = ({ reader }: { readonly reader: LogReader }) => {
  const { messages } = useLanguage()
  const { filter } = reader.place.value
  const [chosen, setChosen] = useState("custom")
  const isAll = filter.from === undefined && filter.to === undefined
  const now = isAll ? "all" : filter.to === undefined ? chosen : "custom"
  const choose = (name: string) => {
    if (name === "custom") return
    setChosen(name)
    const from = isPeriod(name) ? new Date(Date.now() - PERIODS[name]).toISOString() : ""
    reader.filterBy(withCondition(withCondition(filter, "from", from), "to", ""))
  }
  return (
    <label class="field">
      <span>{messages.period}</span>
      <select value={now} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {(["all", "hour", "day", "week", "month", "custom"] as const).map((name) => (
          <option key={name} value={name} disabled={name === "custom"}>
            {messages.periods[name]}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The conditions that are set, each with a button to remove it. */
const Chips = ({ reader }: { readonly reader: LogReader }) => {
  const { messages, moments } = useLanguage()
  const conditions = filterParameters(reader.place.value.filter)
  if (conditions.length === 0) return null
  const shown = (name: FilterName, value: string) =>
    name === "from" || name === "to" ? moments.absolute(millisOf(value)) || value : value
  return (
    <ul class="chips">
      {conditions.map(([name, value]) => (
        <li key={name}>
          <button
            type="button"
            aria-label={messages.remove(
              `${messages.conditions[name]} ${visibleText(shown(name, value), 80)}`
            )}
            onClick={() => reader.narrow(name, "")}
          >
            {messages.conditions[name]}: <PlainText text={shown(name, value)} limit={80} />
            <Icon name="close" />
          </button>
        </li>
      ))}
      <li>
        <button type="button" class="link" onClick={() => reader.filterBy({})}>
          {messages.clearFilters}
        </button>
      </li>
    </ul>
  )
}

/** The filter bar. On a narrow screen all but the search is behind a button. */
export const FilterBar = ({ reader }: { readonly reader: LogReader }) => {
  const { messages } = useLanguage()
  const set = FILTER_NAMES.some((name) => name !== "search" && reader.place.value.filter[name] !== undefined)
  const [open, setOpen] = useState(set)
  return (
    <form
      class="filters"
      role="search"
      data-open={open}
      data-wide={reader.acrossTenants}
      onSubmit={(event) => event.preventDefault()}
    >
      <TextField reader={reader} name="search" hint={messages.searchHint} />
      <button
        type="button"
        class="toggle"
        aria-expanded={open}
        aria-controls="more"
        onClick={() => setOpen(!open)}
      >
        <Icon name="funnel" /> {messages.filters}
      </button>
      <div class="more" id="more">
        <TextField reader={reader} name="action" hint={messages.actionHint} />
        <TextField reader={reader} name="actor_id" />
        <TextField reader={reader} name="resource" />
        {reader.acrossTenants && (
          <>
            <TextField reader={reader} name="tenant_id" />
            <TextField reader={reader} name="target_id" />
            <TextField reader={reader} name="session_id" />
          </>
        )}
        <PeriodField reader={reader} />
        <MomentField reader={reader} name="from" />
        <MomentField reader={reader} name="to" />
      </div>
      <Chips reader={reader} />
    </form>
  )
}
