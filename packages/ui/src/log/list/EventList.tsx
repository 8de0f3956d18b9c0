/**
 * The list of events, of any length: only the rows in sight are in the document. The keyboard moves from row
 * to row.
 */
import type { ComponentChildren, Ref } from "preact"
import { useEffect } from "preact/hooks"
import { useLanguage } from "../../locale/Messages.ts"
import { Notice, RefusalNotice } from "../../notice/Notice.tsx"
import { filterNamed, valuesOf, withCondition } from "../../place/Filter.ts"
import type { Clock } from "../../place/Place.ts"
import { visibleText } from "../../text/VisibleText.ts"
import type { LogReader } from "../LogReader.ts"
import { PrintHead } from "../print/PrintHead.tsx"
import { useFollowedPrinting } from "../print/Printing.ts"
import { columnsShown, type OptionalColumn } from "./Columns.ts"
import { EventRow } from "./EventRow.tsx"
import { useRowFocus } from "./RowFocus.ts"
import { useSight } from "./Sight.ts"
import { SkeletonRow } from "./Skeleton.tsx"
import { virtualWindow } from "./VirtualWindow.ts"

/** Characters of a condition's values that the button shows which removes it. */
const LIMIT = 80

interface FootProps {
  readonly reader: LogReader
  /** What else is said where no event matches. */
  readonly nothing: ComponentChildren
}

const Nothing = ({ reader, nothing }: FootProps) => {
  const { messages } = useLanguage()
  const filtered = Object.keys(reader.place.value.filter).length > 0
  return (
    <Notice
      title={filtered ? messages.emptyFiltered : messages.empty}
      hint={filtered ? messages.emptyFilteredHint : messages.emptyHint}
    >
      {nothing}
      {filtered && (
        <button type="button" onClick={() => reader.filterBy({})}>
          {messages.clearFilters}
        </button>
      )}
    </Notice>
  )
}

/** The condition that the service does not take, which can be removed; where it named none, all can. */
const Invalid = ({
  reader,
  parameter
}: {
  readonly reader: LogReader
  readonly parameter: string | undefined
}) => {
  const { messages } = useLanguage()
  const { filter } = reader.place.value
  const name = filterNamed(parameter)
  const values = name === undefined ? [] : valuesOf(filter, name)
  if (name === undefined || values.length === 0) {
    return (
      <Notice title={messages.invalid(undefined)} hint={messages.invalidHint} alert>
        <button type="button" onClick={() => reader.filterBy({})}>
          {messages.clearFilters}
        </button>
      </Notice>
    )
  }
  const label = messages.conditions[name]
  return (
    <Notice title={messages.invalid(label)} hint={messages.invalidHint} alert>
      <button type="button" onClick={() => reader.filterBy(withCondition(filter, name, ""))}>
        {messages.remove(`${label} ${visibleText(values.join(", "), LIMIT)}`)}
      </button>
    </Notice>
  )
}

/** What stands below the rows. */
const Foot = (props: FootProps) => {
  const { reader } = props
  const { messages } = useLanguage()
  const pages = reader.pages.value
  const refusal = pages.refusal.value
  if (refusal?.kind === "invalid") return <Invalid reader={reader} parameter={refusal.parameter} />
  if (refusal !== undefined) return <RefusalNotice refusal={refusal} retry={() => pages.retry()} />
  if (!pages.complete.value) {
    return (
      <p class={pages.rows === 0 ? "hidden" : "notice"} role="status">
        {messages.loading}
      </p>
    )
  }
  return pages.rows === 0 ? <Nothing {...props} /> : null
}

/** The names of the columns. Its row is as high as every other. */
const Head = ({
  probe,
  optional,
  clock
}: {
  readonly probe: Ref<HTMLDivElement>
  readonly optional: ReadonlySet<OptionalColumn>
  readonly clock: Clock
}) => {
  const { columns, fields, sentence } = useLanguage().messages
  const names = { ...columns, time: fields[clock], event: sentence.event, category: sentence.category }
  return (
    <div role="rowgroup" class="head">
      <div class="row" role="row" aria-rowindex={1} ref={probe}>
        {columnsShown(optional).map((column) => (
          <span key={column} class={`cell-${column}`} role="columnheader">
            {column === "verification" ? <span class="hidden">{names[column]}</span> : names[column]}
          </span>
        ))}
      </div>
    </div>
  )
}

/** The list. */
export const EventList = ({ reader, now, nothing }: FootProps & { readonly now: number }) => {
  const { messages } = useLanguage()
  const { list, probe, sight } = useSight()
  const pages = reader.pages.value
  pages.followed()
  const { rows } = pages
  const isWaiting = rows === 0 && !pages.complete.value && pages.refusal.value === undefined
  const isPrinting = reader.isPrinting.value
  useFollowedPrinting(reader.isPrinting)
  const optional = reader.columns.value
  const view = virtualWindow({ ...sight, rows })
  const waiting = isWaiting ? Math.ceil(sight.viewport / sight.rowHeight) : 0

  useEffect(() => {
    pages.want(Math.min(view.first, Math.max(0, rows - 1)), view.end)
  }, [pages, view.first, view.end, rows])

  const { active, onKeyDown, onFocusIn } = useRowFocus({ reader, list, sight, view })
  const shown = Array.from({ length: Math.max(0, view.end - view.first) }, (_, index) => view.first + index)
  // The row that has the focus stays, wherever the reader scrolled to, or the focus would be lost.
  if (active < rows && !shown.includes(active)) shown.push(active)
  const printed = isPrinting ? Array.from({ length: rows }, (_, row) => row).filter(pages.has) : shown
  return (
    <>
      {isPrinting && <PrintHead reader={reader} rows={printed.length} now={now} />}
      <div
        class="list"
        data-times={isPrinting ? "absolute" : reader.place.value.timeStyle}
        data-columns={[...optional].join(" ")}
        role="grid"
        aria-label={messages.title}
        aria-rowcount={(pages.total.value ?? -2) + 1}
        aria-busy={isWaiting}
        onKeyDown={onKeyDown}
        onFocusIn={onFocusIn}
      >
        <Head probe={probe} optional={optional} clock={reader.place.value.clock} />
        <div
          role="rowgroup"
          ref={list}
          class="rows"
          {...(isPrinting ? {} : { style: { height: `${view.height + waiting * sight.rowHeight}px` } })}
        >
          {Array.from({ length: waiting }, (_, row) => (
            <SkeletonRow key={`wait ${row}`} row={undefined} top={row * sight.rowHeight} />
          ))}
          {printed.map((row) => (
            <EventRow
              key={row}
              reader={reader}
              event={pages.at(row)}
              row={row}
              top={isPrinting ? 0 : view.topOf(row)}
              now={now}
              focusable={row === active}
            />
          ))}
        </div>
      </div>
      <Foot reader={reader} nothing={nothing} />
    </>
  )
}
