/** What stands above a printed list: which events it has, and by which times. */
import { useLanguage } from "../../locale/Messages.ts"
import { millisOf } from "../../locale/Moment.ts"
import { filterParameters } from "../../place/Filter.ts"
import { visibleText } from "../../text/VisibleText.ts"
import type { LogReader } from "../LogReader.ts"

/** The lines. */
export const PrintHead = ({
  reader,
  rows,
  now
}: {
  readonly reader: LogReader
  /** How many events are printed. */
  readonly rows: number
  readonly now: number
}) => {
  const { messages, moments, number } = useLanguage()
  const { filter, clock } = reader.place.value
  const total = reader.pages.value.total.value
  const texts = messages.print
  return (
    <div class="print-head">
      <h2>{messages.title}</h2>
      <ul>
        {filterParameters(filter).map(([name, value]) => (
          <li key={`${name} ${value}`}>
            {messages.conditions[name]}:{" "}
            {name === "from" || name === "to"
              ? moments.absolute(millisOf(value)) || visibleText(value)
              : visibleText(value, 200)}
          </li>
        ))}
        <li>
          {total === undefined ? messages.total(rows, number(rows)) : texts.of(number(rows), number(total))}
        </li>
        <li>
          {messages.fields[clock]}: {moments.zone(now)}
        </li>
        <li>
          {texts.printed}: {moments.absolute(now)}
        </li>
      </ul>
    </div>
  )
}
