/**
 * The structure of tables, from the catalog of their database, and which tables are copied from one database
 * to another: all that both have. The tables are not listed by hand, so that none can be forgotten;
 * exceptions are named here with the reason.
 */
import { Effect, Schema } from "effect"

/** Types of copied columns that both dialects have. */
export type ColumnType = "integer" | "text" | "bytes"

/** A table of one database. */
export interface TableShape {
  readonly name: string
  /** By name. A type that cannot be copied has the database's own name. */
  readonly columns: ReadonlyMap<string, string>
  /** Columns of the primary key, in order. */
  readonly key: ReadonlyArray<string>
  /** Tables that its rows refer to. */
  readonly references: ReadonlyArray<string>
  /** The column that the database numbers automatically. */
  readonly numbered: string | null
}

/** A table that both databases have. */
export interface CopiedTable {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly types: ReadonlyArray<ColumnType>
  /** Columns that order the rows the same way in both databases. */
  readonly key: ReadonlyArray<string>
  /** Tables that its rows refer to. */
  readonly references: ReadonlyArray<string>
  readonly numbered: string | null
}

const SIGN_IN_AGAIN = "people sign in again: what was ended since would be valid again"

/** Tables that are not copied, with the reason. */
const LOCAL_TABLES: Readonly<Record<string, string>> = {
  consumers_file: "names this consumers' file",
  file_seen: "names the files beside this log",
  log_mark: "says how far consumers' file and log were of one time",
  log_seen: "says how far inbox and log were of one time",
  repair: "says how far a repair of this inbox has come",
  cairn_migration: "says what this database's tables look like",
  log_loss: "says what this database lacks",
  rate_bucket: "counts the requests of the last minute",
  removal_permit: "lets a removal in progress change the log, and is empty before and after",
  search_frame: "is rebuilt from the log",
  search_order: "is rebuilt from the log",
  search_part: "is rebuilt from the log",
  search_posting: "is rebuilt from the log",
  search_position: "is rebuilt from the log",
  session: SIGN_IN_AGAIN,
  session_entry: SIGN_IN_AGAIN,
  sign_in_link: SIGN_IN_AGAIN,
  state: "counts what waits in this inbox, and names it"
}

/**
 * Columns that are not copied: the position of SQLite's log in its inbox, which is a separate file;
 * PostgreSQL's timeline; what the rows of an earlier SQLite log repeat of their contents; PostgreSQL's slots
 * of a month's count, whose sum is copied; and the workspace's number in tables that have its id in both
 * databases: PostgreSQL fills it in.
 */
const LOCAL_COLUMNS: Readonly<Record<string, ReadonlyArray<string>>> = {
  head: ["inbox_epoch", "inbox_id", "timeline"],
  event: ["action", "actor_id", "resource_type", "resource_id", "tenant_id", "session_id"],
  event_usage: ["slot"],
  tree_tile: ["workspace"],
  checkpoint: ["workspace"],
  published_checkpoint: ["workspace"],
  consumer: ["workspace"],
  consumer_row: ["workspace"],
  alert: ["workspace"]
}

const TYPES: ReadonlySet<string> = new Set<ColumnType>(["integer", "text", "bytes"])
const isColumnType = (type: string): type is ColumnType => TYPES.has(type)

/** The tables of two databases do not match: an error in the migrations, not in the data. */
export class ShapesDiffer extends Schema.TaggedError<ShapesDiffer>()("ShapesDiffer", {
  table: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `table ${this.table} cannot be copied: ${this.reason}`
  }
}

const pair = (source: TableShape, target: TableShape): CopiedTable | ShapesDiffer => {
  const { name } = source
  const differ = (reason: string) => new ShapesDiffer({ table: name, reason })
  const local = LOCAL_COLUMNS[name] ?? []
  const columns = Array.from(source.columns.keys()).filter((column) => !local.includes(column))
  const extra = Array.from(target.columns.keys()).find(
    (column) => !local.includes(column) && !columns.includes(column)
  )
  if (extra !== undefined) return differ(`only one database has the column ${extra}`)
  const types: Array<ColumnType> = []
  for (const column of columns) {
    const type = source.columns.get(column) ?? ""
    if (!target.columns.has(column)) return differ(`only one database has the column ${column}`)
    if (!isColumnType(type) || type !== target.columns.get(column)) {
      return differ(`the column ${column} is ${type} in one and ${target.columns.get(column)} in the other`)
    }
    types.push(type)
  }
  const [key = []] = [source.key, target.key]
    .map((names) => names.filter((column) => !local.includes(column)))
    .sort((a, b) => b.length - a.length)
  if (key.length === 0) return differ("it has no primary key")
  return { name, columns, types, key, references: source.references, numbered: target.numbered }
}

/** Workspaces, by which rows are numbered, and then referred tables before those that refer to them. */
const inOrder = (shapes: ReadonlyArray<TableShape>): ReadonlyArray<TableShape> => {
  const byName = new Map(shapes.map((shape) => [shape.name, shape]))
  const ordered = new Set<TableShape>()
  const visit = (shape: TableShape) => {
    if (ordered.has(shape)) return
    for (const name of shape.references) {
      const referred = byName.get(name)
      if (referred !== undefined && referred !== shape) visit(referred)
    }
    ordered.add(shape)
  }
  for (const shape of shapes) if (shape.name === "workspace") visit(shape)
  for (const shape of shapes) visit(shape)
  return Array.from(ordered)
}

/**
 * The tables to copy, in an order in which they can be written. Fails if a table exists on one side only and
 * is not an exception.
 */
export const copiedTables = (
  source: ReadonlyArray<TableShape>,
  target: ReadonlyArray<TableShape>
): Effect.Effect<ReadonlyArray<CopiedTable>, ShapesDiffer> => {
  const carried = (shapes: ReadonlyArray<TableShape>) => shapes.filter(({ name }) => !(name in LOCAL_TABLES))
  const targets = new Map(carried(target).map((shape) => [shape.name, shape]))
  const references = (shape: TableShape) => [
    ...shape.references,
    ...(targets.get(shape.name)?.references ?? [])
  ]
  const sources = carried(source).map((shape) => ({ ...shape, references: references(shape) }))
  const lonely = [
    ...sources.filter(({ name }) => !targets.has(name)),
    ...Array.from(targets.values()).filter(({ name }) => !sources.some((shape) => shape.name === name))
  ]
  const [alone] = lonely
  if (alone !== undefined) {
    return Effect.fail(new ShapesDiffer({ table: alone.name, reason: "only one database has it" }))
  }
  return Effect.forEach(inOrder(sources), (shape) => {
    const counterpart = targets.get(shape.name)
    const table = counterpart === undefined ? undefined : pair(shape, counterpart)
    if (table === undefined) return Effect.die(new Error(`table ${shape.name} has no counterpart`))
    return table instanceof ShapesDiffer ? Effect.fail(table) : Effect.succeed(table)
  })
}
