/** How many events match a filter. */
import type { EventFilter } from "@cairn/core/event"
import type { SequenceRange } from "@cairn/core/log"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { actionsOf, MAX_ACTIONS } from "./ActionsOfPrefix.ts"
import { countFiltered, indexedBy, type Leader, loneActionPrefix } from "./FilteredEvents.ts"

/**
 * The statement. A filter with only a prefix is followed action by action: within one action, `event_action`
 * is in the order of the sequences.
 */
const statement = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  workspace: number,
  filter: EventFilter,
  range: SequenceRange,
  leader: Leader | null | undefined
) {
  const prefix = loneActionPrefix(filter)
  const actions = prefix === undefined ? [] : yield* actionsOf(sql, workspace, prefix)
  return actions.length === 0 || actions.length > MAX_ACTIONS
    ? countFiltered(sql, workspace, filter, range, leader)
    : sql`
        SELECT count(*) AS count FROM event${indexedBy(sql, "event_action")}
        WHERE workspace = ${workspace} AND ${sql.in("action", actions)}
          AND sequence BETWEEN ${range.from} AND ${range.to}`
})

/** The number within a range of sequences. Costs what it counts, if a single condition selects that. */
export const filteredCount = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  workspace: number,
  filter: EventFilter,
  range: SequenceRange,
  leader?: Leader | null
) {
  const counting = yield* statement(sql, workspace, filter, range, leader)
  const [row] = yield* sql<{ readonly count: number }>`${counting}`
  return row?.count ?? 0
})
