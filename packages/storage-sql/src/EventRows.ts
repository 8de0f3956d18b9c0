/** Events as rows, and the statements over them that both dialects share. */
import { actionPattern, type EventFilter, type LogEntry, prefixEnd, type SequenceRange } from "@cairn/core"
import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

/** A row of `event`, as far as a list needs it. */
export const EntryRow = Schema.Struct({
  sequence: Schema.Number,
  id: Schema.String,
  created_at: Schema.Number,
  content: Schema.NullOr(Schema.String),
  previous_event_hash: Schema.NullOr(Schema.String),
  event_hash: Schema.NullOr(Schema.String)
})

/** The columns of {@link EntryRow}, of the table that is named `e`. */
export const ENTRY_COLUMNS = "e.sequence, e.id, e.created_at, e.content, e.previous_event_hash, e.event_hash"

/** The entry of a row. */
export const toEntry = (row: typeof EntryRow.Type): LogEntry => ({
  sequence: row.sequence,
  id: row.id,
  createdAt: row.created_at,
  content: row.content,
  previousEventHash: row.previous_event_hash,
  eventHash: row.event_hash
})

/** Whether some condition other than the action's has an index that ends in the sequence. */
const hasIndexBesides = (filter: EventFilter): boolean =>
  [
    filter.actorId,
    filter.resource,
    filter.resourceId,
    filter.tenantId,
    filter.sessionId,
    filter.targetType,
    filter.targetId
  ].some((value) => value !== undefined)

/**
 * A prefix of the action: a range of its index where it is all there is to go by. Beside another condition it must not tempt a planner
 * without statistics away from that one's index, which finds events one by one: SQLite would walk the whole range for each of them.
 */
const prefixCondition = (
  sql: SqlClient.SqlClient,
  prefix: string,
  filter: EventFilter
): Statement.Fragment =>
  hasIndexBesides(filter)
    ? sql`substr(e.action, 1, ${Array.from(prefix).length}) = ${prefix}`
    : sql`e.action >= ${prefix} AND e.action < ${prefixEnd(prefix)}`

/** The conditions of a filter on a row of `event`, but for its targets, its times and its search. */
export const columnConditions = (
  sql: SqlClient.SqlClient,
  filter: EventFilter
): ReadonlyArray<Statement.Fragment> => {
  const conditions: Array<Statement.Fragment> = []
  if (filter.action !== undefined) {
    const pattern = actionPattern(filter.action)
    if (pattern.kind === "exact") conditions.push(sql`e.action = ${pattern.action}`)
    if (pattern.kind === "prefix") conditions.push(prefixCondition(sql, pattern.prefix, filter))
  }
  if (filter.actorId !== undefined) conditions.push(sql`e.actor_id = ${filter.actorId}`)
  if (filter.resource !== undefined) conditions.push(sql`e.resource_type = ${filter.resource}`)
  if (filter.resourceId !== undefined) conditions.push(sql`e.resource_id = ${filter.resourceId}`)
  if (filter.tenantId !== undefined) conditions.push(sql`e.tenant_id = ${filter.tenantId}`)
  if (filter.sessionId !== undefined) conditions.push(sql`e.session_id = ${filter.sessionId}`)
  return conditions
}

/** Whether a filter asks for a value that no event without content has: its action and its actor's id are empty, the rest null. */
const isNarrowed = (filter: EventFilter): boolean =>
  (filter.action !== undefined && filter.action !== "" && actionPattern(filter.action).kind !== "any") ||
  (filter.actorId !== undefined && filter.actorId !== "") ||
  filter.resource !== undefined ||
  filter.resourceId !== undefined ||
  filter.tenantId !== undefined ||
  filter.sessionId !== undefined ||
  filter.targetType !== undefined ||
  filter.targetId !== undefined

/**
 * How many events {@link fromFiltered} gives, as one number called `count`. Served by indexes alone: of a filter that asks for no value, all
 * of them less those in `event_removed`.
 */
export const countFiltered = (
  sql: SqlClient.SqlClient,
  workspace: number | string,
  filter: EventFilter,
  range: SequenceRange
): Statement.Fragment => {
  if (isNarrowed(filter) || columnConditions(sql, filter).length > 0)
    return sql`SELECT count(*) AS count ${fromFiltered(sql, workspace, filter, range)}`
  const within = sql`workspace = ${workspace} AND sequence BETWEEN ${range.from} AND ${range.to}`
  return sql`
    SELECT (SELECT count(*) FROM event WHERE ${within})
      - (SELECT count(*) FROM event WHERE ${within} AND content IS NULL) AS count`
}

/**
 * The events of a filter within a range of sequences, as `FROM … WHERE …` over `event e`.
 *
 * Serves itself from `event_action`, `event_actor` and their like, which all end in the sequence, or from `event_target_type` and
 * `event_target_id`, whichever the filter names; without one from the primary key.
 */
export const fromFiltered = (
  sql: SqlClient.SqlClient,
  workspace: number | string,
  filter: EventFilter,
  range: SequenceRange
): Statement.Fragment => {
  const conditions = [
    sql`e.workspace = ${workspace}`,
    sql`e.sequence BETWEEN ${range.from} AND ${range.to}`,
    ...columnConditions(sql, filter)
  ]
  // What has no content has no values to match either; a filter that asks for none must leave it out by itself.
  if (!isNarrowed(filter)) conditions.push(sql`e.content IS NOT NULL`)
  if (filter.targetType === undefined && filter.targetId === undefined) {
    return sql`FROM event e WHERE ${sql.and(conditions)}`
  }
  const targets = [sql`workspace = ${workspace}`, sql`sequence BETWEEN ${range.from} AND ${range.to}`]
  if (filter.targetType !== undefined) targets.push(sql`type = ${filter.targetType}`)
  if (filter.targetId !== undefined) targets.push(sql`id = ${filter.targetId}`)
  // In order, so that a page of a target that many events have ends where it is full.
  return sql`
    FROM (
      SELECT DISTINCT sequence AS target_sequence FROM event_target WHERE ${sql.and(targets)} ORDER BY sequence DESC
    ) t
    JOIN event e ON e.sequence = t.target_sequence
    WHERE ${sql.and(conditions)}`
}
