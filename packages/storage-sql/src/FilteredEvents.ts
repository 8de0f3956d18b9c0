/**
 * The events of a filter, newest first: statements that both dialects share.
 *
 * Every condition has an index that ends in the sequence, so a page for one condition is read from its index.
 * Of several conditions, one leads: its index is walked, and the others are checked for each event.
 * PostgreSQL's planner may choose another leader by its statistics. SQLite has none, so there the leader's
 * index is named.
 */
import { actionPattern, type EventFilter, prefixEnd } from "@cairn/core/event"
import type { SequenceRange } from "@cairn/core/log"
import type { SqlClient, Statement } from "effect/sql"

/** Conditions on a single column of `event`, with the column and the index of each. */
const COLUMNS = {
  action: ["action", "event_action"],
  actorId: ["actor_id", "event_actor"],
  resource: ["resource_type", "event_resource_type"],
  resourceId: ["resource_id", "event_resource_id"],
  tenantId: ["tenant_id", "event_tenant"],
  sessionId: ["session_id", "event_session"]
} as const

type ColumnName = keyof typeof COLUMNS

const COLUMN_NAMES = ["action", "actorId", "resource", "resourceId", "tenantId", "sessionId"] as const

/** A condition whose index lists the matching events in the order of their sequences. */
export type Leader = ColumnName | "target"

const hasTarget = (filter: EventFilter): boolean =>
  filter.targetType !== undefined || filter.targetId !== undefined

/** The value that a column of `event` must have. */
const wanted = (filter: EventFilter, name: ColumnName): string | undefined => {
  if (name !== "action" || filter.action === undefined) return filter[name]
  const pattern = actionPattern(filter.action)
  return pattern.kind === "exact" ? pattern.action : undefined
}

/** The required prefix of the action. */
const prefixOf = (filter: EventFilter): string | undefined => {
  const pattern = filter.action === undefined ? undefined : actionPattern(filter.action)
  return pattern?.kind === "prefix" ? pattern.prefix : undefined
}

/**
 * The conditions of a filter that may lead. A prefix of the action may not: its index lists all events of one
 * action before those of the next.
 */
export const leadersOf = (filter: EventFilter): ReadonlyArray<Leader> => [
  ...COLUMN_NAMES.filter((name) => wanted(filter, name) !== undefined),
  ...(hasTarget(filter) ? (["target"] as const) : [])
]

/** The required prefix of the action, if that is the filter's only condition on contents. */
export const loneActionPrefix = (filter: EventFilter): string | undefined =>
  leadersOf(filter).length === 0 ? prefixOf(filter) : undefined

/**
 * Whether a filter requires a value that an event without content cannot have: its action and its actor's id
 * are empty, the rest is null.
 */
const isNarrowed = (filter: EventFilter): boolean =>
  prefixOf(filter) !== undefined ||
  hasTarget(filter) ||
  COLUMN_NAMES.some((name) => wanted(filter, name) !== undefined && wanted(filter, name) !== "")

/** Whether a filter has no condition on contents but `search`. */
export const selectsAll = (filter: EventFilter): boolean =>
  leadersOf(filter).length === 0 && prefixOf(filter) === undefined

/** Makes SQLite use this index and no other. */
export const indexedBy = (sql: SqlClient.SqlClient, index: string): Statement.Fragment =>
  sql.literal(sql.onDialectOrElse({ sqlite: () => ` INDEXED BY ${index}`, orElse: () => "" }))

/** SQLite's name for the index of `event`'s primary key. */
export const PRIMARY_KEY = "sqlite_autoindex_event_1"

/** The conditions on a row of `event_target`, in the table `table`, except its place. */
const targetConditions = (
  sql: SqlClient.SqlClient,
  filter: EventFilter,
  table: string
): Array<Statement.Fragment> => [
  ...(filter.targetType === undefined ? [] : [sql`${sql.literal(table)}.type = ${filter.targetType}`]),
  ...(filter.targetId === undefined ? [] : [sql`${sql.literal(table)}.id = ${filter.targetId}`])
]

/** Keeps SQLite from using the index of a column, where it must read the few targets of an event instead. */
const unindexed = (sql: SqlClient.SqlClient): string =>
  sql.onDialectOrElse({ sqlite: () => "+", orElse: () => "" })

/** The conditions on a row of `event e`, except the leader's condition and the place. */
const followers = (
  sql: SqlClient.SqlClient,
  filter: EventFilter,
  leader: Leader | null
): ReadonlyArray<Statement.Fragment> => {
  const conditions: Array<Statement.Fragment> = []
  for (const name of COLUMN_NAMES) {
    const value = name === leader ? undefined : wanted(filter, name)
    if (value !== undefined) conditions.push(sql`e.${sql.literal(COLUMNS[name][0])} = ${value}`)
  }
  const prefix = prefixOf(filter)
  if (prefix !== undefined) {
    conditions.push(sql`substr(e.action, 1, ${Array.from(prefix).length}) = ${prefix}`)
  }
  if (hasTarget(filter) && leader !== "target") {
    const place = [sql`t.workspace = e.workspace`, sql`t.sequence = e.sequence`]
    const target = sql.and([...place, ...targetConditions(sql, filter, `${unindexed(sql)}t`)])
    conditions.push(sql`EXISTS (SELECT 1 FROM event_target t WHERE ${target})`)
  }
  // An event without content has no values that could match. A filter that requires no value must exclude it
  // explicitly.
  if (!isNarrowed(filter)) conditions.push(sql`e.content IS NOT NULL`)
  return conditions
}

/** Where events are read from. */
export interface FilteredEvents {
  /** `FROM … WHERE …` over `event e`. */
  readonly from: Statement.Fragment
  /** The column that the events are ordered by. */
  readonly sequence: Statement.Fragment
}

/**
 * Along the index of targets. Grouped in its order, an event with several matching targets is found once, and
 * a page ends when it is full.
 */
const byTarget = (
  sql: SqlClient.SqlClient,
  workspace: number,
  filter: EventFilter,
  range: SequenceRange
): FilteredEvents => {
  const index = filter.targetId === undefined ? "event_target_type" : "event_target_id"
  const targets = [
    sql`o.workspace = ${workspace}`,
    ...targetConditions(sql, filter, "o"),
    sql`o.sequence BETWEEN ${range.from} AND ${range.to}`
  ]
  const conditions = [
    sql`e.workspace = ${workspace}`,
    sql`e.sequence = t.sequence`,
    sql`e.sequence BETWEEN ${range.from} AND ${range.to}`,
    ...followers(sql, filter, "target")
  ]
  return {
    from: sql`
      FROM (
        SELECT o.sequence FROM event_target o${indexedBy(sql, index)} WHERE ${sql.and(targets)}
        GROUP BY o.sequence ORDER BY o.sequence DESC
      ) t
      CROSS JOIN event e WHERE ${sql.and(conditions)}`,
    sequence: sql`t.sequence`
  }
}

/**
 * The events of a filter within a range of sequences, along the index of one of its conditions or, for null,
 * of the sequences.
 */
export const filteredEvents = (
  sql: SqlClient.SqlClient,
  workspace: number,
  filter: EventFilter,
  range: SequenceRange,
  leader: Leader | null = leadersOf(filter)[0] ?? null
): FilteredEvents => {
  if (leader === "target") return byTarget(sql, workspace, filter, range)
  const value = leader === null ? undefined : wanted(filter, leader)
  const [column, index] = leader === null ? ["", PRIMARY_KEY] : COLUMNS[leader]
  const conditions = [
    sql`e.workspace = ${workspace}`,
    ...(value === undefined ? [] : [sql`e.${sql.literal(column)} = ${value}`]),
    sql`e.sequence BETWEEN ${range.from} AND ${range.to}`,
    ...followers(sql, filter, leader)
  ]
  return {
    from: sql`FROM event e${indexedBy(sql, index)} WHERE ${sql.and(conditions)}`,
    sequence: sql`e.sequence`
  }
}

/**
 * How many events match a filter within a range, as one number called `count`. Served by indexes alone if
 * there is one condition. If the filter requires no value: all events minus those without content.
 */
export const countFiltered = (
  sql: SqlClient.SqlClient,
  workspace: number,
  filter: EventFilter,
  range: SequenceRange,
  leader?: Leader | null
): Statement.Fragment => {
  const within = sql`workspace = ${workspace} AND sequence BETWEEN ${range.from} AND ${range.to}`
  const prefix = loneActionPrefix(filter)
  if (prefix !== undefined) {
    return sql`
      SELECT count(*) AS count FROM event${indexedBy(sql, "event_action")}
      WHERE ${within} AND action >= ${prefix} AND action < ${prefixEnd(prefix)}`
  }
  if (isNarrowed(filter) || leadersOf(filter).length > 0) {
    return sql`SELECT count(*) AS count ${filteredEvents(sql, workspace, filter, range, leader).from}`
  }
  return sql`
    SELECT (SELECT count(*) FROM event WHERE ${within})
      - (SELECT count(*) FROM event WHERE ${within} AND content IS NULL) AS count`
}
