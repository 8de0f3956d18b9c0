/** What the migrations leave behind, read from their statements: tables, indexes, triggers and functions. */
import { MIGRATIONS } from "../Migrations.ts"

/** A table, an index or a trigger that should be there. */
export interface ExpectedObject {
  readonly type: "table" | "index" | "trigger"
  readonly name: string
  /** The table that it belongs to; its own name for a table. */
  readonly table: string
  /** The statement that makes it. */
  readonly sql: string
}

const CREATES: ReadonlyArray<readonly [ExpectedObject["type"], RegExp]> = [
  ["table", /^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(?<name>\w+)/],
  ["index", /^CREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?(?<name>\w+) ON (?<table>\w+)/],
  ["trigger", /^CREATE TRIGGER (?<name>\w+) [^(]*? ON (?<table>\w+)/]
]

const created = (sql: string): ReadonlyArray<ExpectedObject> =>
  CREATES.flatMap(([type, pattern]) => {
    const groups = pattern.exec(sql)?.groups
    const name = groups?.name
    return name === undefined ? [] : [{ type, name, table: groups?.table ?? name, sql }]
  })

const DROP = /^DROP (TABLE|INDEX|TRIGGER) (?:IF EXISTS )?([\w, ]+)/
const RENAME = /^ALTER (TABLE|INDEX) (\w+) RENAME TO (\w+)$/

const ALTER = /^ALTER TABLE (\w+)\s/

/** Whether a statement drops a column that an index is made of, and so the index. */
const dropsColumnOf =
  (sql: string) =>
  ({ type, table, sql: made }: ExpectedObject): boolean => {
    if (type !== "index" || ALTER.exec(sql)?.[1] !== table) return false
    const columns = [...sql.matchAll(/DROP COLUMN (?:IF EXISTS )?(\w+)/g)].map(([, column]) => column ?? "")
    const words = made.slice(made.indexOf("(")).split(/\W+/)
    return columns.some((column) => words.includes(column))
  }

/** What is left after a statement. */
const after = (all: ReadonlyArray<ExpectedObject>, statement: string): ReadonlyArray<ExpectedObject> => {
  const sql = statement.trim()
  const [, kind = "", list = ""] = DROP.exec(sql) ?? []
  const names = (kind === "TRIGGER" ? list.split(" ON ", 1) : list.split(",")).map(
    (name) => name.trim().split(" ")[0]
  )
  const isDropped = ({ type, name, table }: ExpectedObject) =>
    kind !== "" &&
    ((type === kind.toLowerCase() && names.includes(name)) || (kind === "TABLE" && names.includes(table)))
  const [, renamed = "", from, to = ""] = RENAME.exec(sql) ?? []
  const rename = (object: ExpectedObject): ExpectedObject => ({
    ...object,
    name: object.type === renamed.toLowerCase() && object.name === from ? to : object.name,
    table: renamed === "TABLE" && object.table === from ? to : object.table
  })
  const losesColumn = dropsColumnOf(sql)
  const left = all.filter((object) => !isDropped(object) && !losesColumn(object))
  return [...left.map(rename), ...created(sql)]
}

/** Everything that a database has at a migration, by its number; at the last one unless that is given. */
export const expectedObjects = (at = MIGRATIONS.length): ReadonlyArray<ExpectedObject> =>
  MIGRATIONS.slice(0, at).flat().reduce<ReadonlyArray<ExpectedObject>>(after, [])

/** A function that should be there. */
export interface ExpectedFunction {
  readonly name: string
  /** The text between the dollars. */
  readonly body: string
  /** The statement that makes it, whatever is there. */
  readonly sql: string
}

const FUNCTION = /^CREATE (?:OR REPLACE )?(FUNCTION (\w+)\(.*?\$\$(.*)\$\$.*)$/s
const DROP_FUNCTION = /^DROP FUNCTION (\w+)/

/** The functions of a database at a migration, by its number; at the last one unless that is given. */
export const expectedFunctions = (at = MIGRATIONS.length): ReadonlyArray<ExpectedFunction> => {
  const functions = new Map<string, ExpectedFunction>()
  for (const statement of MIGRATIONS.slice(0, at).flat()) {
    const sql = statement.trim()
    const [, made, name, body] = FUNCTION.exec(sql) ?? []
    if (name !== undefined) functions.set(name, { name, body: body ?? "", sql: `CREATE OR REPLACE ${made}` })
    functions.delete(DROP_FUNCTION.exec(sql)?.[1] ?? "")
  }
  return [...functions.values()]
}
