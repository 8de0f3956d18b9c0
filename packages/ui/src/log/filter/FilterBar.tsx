/** The fields that filter events. */
import { useState } from "preact/hooks"
import { useLanguage } from "../../locale/Messages.ts"
import { fromLocalInput, millisOf, toLocalInput } from "../../locale/Moment.ts"
import { usePageClock } from "../../locale/PageClock.ts"
import { CONDITION_NAMES, type FilterName, filterParameters } from "../../place/Filter.ts"
import { PERIOD_NAMES, periodNamed } from "../../place/Period.ts"
import { PlainText } from "../../text/PlainText.tsx"
import { visibleText } from "../../text/VisibleText.ts"
import { Icon } from "../../theme/Icon.tsx"
import type { LogReader } from "../LogReader.ts"
import { ConditionField } from "./ConditionField.tsx"

const MomentField = ({ reader, name }: { readonly reader: LogReader; readonly name: "from" | "to" }) => {
  const { messages } = useLanguage()
  return (
    <label class="field field-moment">
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
  const { filter, period } = reader.place.value
  const isAll = filter.from === undefined && filter.to === undefined
  return (
    <label class="field">
      <span>{messages.period}</span>
      <select
        value={period ?? (isAll ? "all" : "custom")}
        onChange={({ currentTarget }) => reader.choosePeriod(periodNamed(currentTarget.value))}
      >
        {(["all", ...PERIOD_NAMES, "custom"] as const).map((name) => (
          <option key={name} value={name} disabled={name === "custom"}>
            {messages.periods[name]}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A condition that is set, with a button to remove it. */
const Chip = ({
  label,
  value,
  remove
}: {
  readonly label: string
  readonly value: string
  readonly remove: () => void
}) => {
  const { messages } = useLanguage()
  return (
    <li>
      <button
        type="button"
        aria-label={messages.remove(`${label} ${visibleText(value, 80)}`)}
        onClick={remove}
      >
        {label}: <PlainText text={value} limit={80} />
        <Icon name="close" />
      </button>
    </li>
  )
}

/** The period that is chosen by name, with the days that it is of. */
const PeriodChip = ({ reader }: { readonly reader: LogReader }) => {
  const { messages, moments } = useLanguage()
  const clock = usePageClock()
  const { filter, period } = reader.place.value
  if (period === undefined) return null
  const days = moments.days(
    millisOf(filter.from ?? ""),
    filter.to === undefined ? clock.now() : millisOf(filter.to)
  )
  return (
    <Chip
      label={messages.period}
      value={`${messages.periods[period]}, ${days}`}
      remove={() => reader.choosePeriod(undefined)}
    />
  )
}

/** All conditions that are set. */
const Chips = ({ reader }: { readonly reader: LogReader }) => {
  const { messages, moments } = useLanguage()
  const { filter, period } = reader.place.value
  const conditions = filterParameters(filter)
  if (conditions.length === 0) return null
  const isTime = (name: FilterName) => name === "from" || name === "to"
  const shown = (name: FilterName, value: string) => {
    if (isTime(name)) return moments.absolute(millisOf(value)) || value
    return (name === "actor_id" ? reader.actors.value.get(value) : undefined) ?? value
  }
  return (
    <ul class="chips">
      {conditions
        .filter(([name]) => period === undefined || !isTime(name))
        .map(([name, value]) => (
          <Chip
            key={name}
            label={messages.conditions[name]}
            value={shown(name, value)}
            remove={() => reader.narrow(name, "")}
          />
        ))}
      <PeriodChip reader={reader} />
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
  const set = CONDITION_NAMES.some((name) => reader.place.value.filter[name] !== undefined)
  const [open, setOpen] = useState(set)
  return (
    <form
      class="filters"
      role="search"
      data-open={open}
      data-wide={reader.acrossTenants}
      onSubmit={(event) => event.preventDefault()}
    >
      <ConditionField reader={reader} name="search" hint={messages.searchHint} />
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
        <ConditionField reader={reader} name="action" hint={messages.actionHint} />
        <ConditionField reader={reader} name="actor_id" hint={messages.actorHint} />
        <ConditionField reader={reader} name="resource" />
        {reader.acrossTenants && (
          <>
            <ConditionField reader={reader} name="tenant_id" />
            <ConditionField reader={reader} name="target_id" />
            <ConditionField reader={reader} name="session_id" />
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
