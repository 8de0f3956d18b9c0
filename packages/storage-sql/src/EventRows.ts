/** Events as rows, and the statements over them that both dialects share. */
import {
  actionPattern,
  type EventFilter,
  type FilterColumns,
  type LogEntry,
  prefixEnd,
  type SequenceRange,
  type StoredEvent
} from "@cairn/core"
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

/** The columns of {@link StoredRow} but its targets, of the table that is named `e`. */
export const STORED_COLUMNS = `${ENTRY_COLUMNS}, e.salt, e.content_hash, e.action, e.actor_id, e.resource_type, e.resource_id, e.tenant_id, e.session_id`

/** A whole row of `event`. */
export interface StoredRow extends Readonly<typeof EntryRow.Type> {
  readonly salt: string | null
  readonly content_hash: string | null
  readonly action: string
  readonly actor_id: string
  readonly resource_type: string | null
  readonly resource_id: string | null
  readonly tenant_id: string | null
  readonly session_id: string | null
}

/** A column that must hold text. What holds something else was changed by someone, and no hash fits it. */
const text = (value: unknown): string => (typeof value === "string" ? value : String(value))
const textOrNull = (value: unknown): string | null =>
  value === null || value === undefined ? null : text(value)

/**
 * Reads a whole row by hand: a verification reads every row there is, and a schema's decoding takes longer than all the hashing.
 */
export const readStoredRow = (row: Readonly<Record<string, unknown>>): StoredRow => ({
  sequence: Number(row.sequence),
  id: text(row.id),
  created_at: Number(row.created_at),
  content: textOrNull(row.content),
  previous_event_hash: textOrNull(row.previous_event_hash),
  event_hash: textOrNull(row.event_hash),
  salt: textOrNull(row.salt),
  content_hash: textOrNull(row.content_hash),
  action: text(row.action),
  actor_id: text(row.actor_id),
  resource_type: textOrNull(row.resource_type),
  resource_id: textOrNull(row.resource_id),
  tenant_id: textOrNull(row.tenant_id),
  session_id: textOrNull(row.session_id)
})

/** A row of `event_target`. */
export const TargetRow = Schema.Struct({
  sequence: Schema.Number,
  type: Schema.String,
  id: Schema.NullOr(Schema.String)
})

/** The entry of a row. */
export const toEntry = (row: typeof EntryRow.Type): LogEntry => ({
  sequence: row.sequence,
  id: row.id,
  createdAt: row.created_at,
  content: row.content,
  previousEventHash: row.previous_event_hash,
  eventHash: row.event_hash
})

/** The event of a row and its targets. */
export const toStored = (row: StoredRow, targets: FilterColumns["targets"]): StoredEvent => ({
  ...toEntry(row),
  salt: row.salt,
  contentHash: row.content_hash,
  columns: {
    action: row.action,
    actorId: row.actor_id,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    tenantId: row.tenant_id,
    sessionId: row.session_id,
    targets
  }
})

/** The events of rows in ascending sequence, with targets in ascending sequence and order. */
export const withTargets = (
  rows: ReadonlyArray<StoredRow>,
  targets: ReadonlyArray<typeof TargetRow.Type>
): ReadonlyArray<StoredEvent> => {
  let at = 0
  return rows.map((row) => {
    const own: Array<{ readonly type: string; readonly id: string | null }> = []
    while ((targets[at]?.sequence ?? Number.POSITIVE_INFINITY) < row.sequence) at++
    for (let target = targets[at]; target?.sequence === row.sequence; target = targets[++at]) {
      own.push({ type: target.type, id: target.id })
    }
    return toStored(row, own)
  })
}

/** The conditions of a filter on a row of `event`, but for its targets, its times and its search. */
export const columnConditions = (
  sql: SqlClient.SqlClient,
  filter: EventFilter
): ReadonlyArray<Statement.Fragment> => {
  const conditions: Array<Statement.Fragment> = []
  if (filter.action !== undefined) {
    const pattern = actionPattern(filter.action)
    if (pattern.kind === "exact") conditions.push(sql`e.action = ${pattern.action}`)
    if (pattern.kind === "prefix") {
      conditions.push(sql`e.action >= ${pattern.prefix} AND e.action < ${prefixEnd(pattern.prefix)}`)
    }
  }
  if (filter.actorId !== undefined) conditions.push(sql`e.actor_id = ${filter.actorId}`)
  if (filter.resource !== undefined) conditions.push(sql`e.resource_type = ${filter.resource}`)
  if (filter.resourceId !== undefined) conditions.push(sql`e.resource_id = ${filter.resourceId}`)
  if (filter.tenantId !== undefined) conditions.push(sql`e.tenant_id = ${filter.tenantId}`)
  if (filter.sessionId !== undefined) conditions.push(sql`e.session_id = ${filter.sessionId}`)
  return conditions
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
  if (filter.targetType === undefined && filter.targetId === undefined) {
    return sql`FROM event e WHERE ${sql.and(conditions)}`
  }
  const targets = [sql`workspace = ${workspace}`, sql`sequence BETWEEN ${range.from} AND ${range.to}`]
  if (filter.targetType !== undefined) targets.push(sql`type = ${filter.targetType}`)
  if (filter.targetId !== undefined) targets.push(sql`id = ${filter.targetId}`)
  return sql`
    FROM (SELECT DISTINCT sequence AS target_sequence FROM event_target WHERE ${sql.and(targets)}) t
    JOIN event e ON e.sequence = t.target_sequence
    WHERE ${sql.and(conditions)}`
}
