/** The columns of the list: those that no shown event has anything for are left out. */
import type { Event } from "@cairn/core/event"

const COLUMNS = ["verification", "time", "event", "action", "category", "place"] as const
export type Column = (typeof COLUMNS)[number]

/** Columns that are there only for events that have something in them. */
export type OptionalColumn = "category" | "place"

const fillsColumn: Readonly<Record<OptionalColumn, (event: Event) => boolean>> = {
  category: ({ action_category }) => Boolean(action_category),
  place: ({ ip_country, ip_city }) => ip_country !== null || ip_city !== null
}

const isOptional = (column: Column): column is OptionalColumn => Object.hasOwn(fillsColumn, column)

/** The columns that are there, in their order. */
export const columnsShown = (optional: ReadonlySet<OptionalColumn>): ReadonlyArray<Column> =>
  COLUMNS.filter((column) => !isOptional(column) || optional.has(column))

/** The optional columns once these events are shown, too: the same set if they need no further one. */
export const withColumns = (
  optional: ReadonlySet<OptionalColumn>,
  events: ReadonlyArray<Event>
): ReadonlySet<OptionalColumn> => {
  const further = COLUMNS.filter(isOptional).filter(
    (column) => !optional.has(column) && events.some(fillsColumn[column])
  )
  return further.length === 0 ? optional : new Set([...optional, ...further])
}
