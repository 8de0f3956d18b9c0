/** Conditions on columns that hold a text somewhere within. */
import type { SqlClient, Statement } from "effect/sql"

/** A pattern for `LIKE … ESCAPE '\\'`. */
const pattern = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`

/** As it stands within JSON. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Whether a column of JSON holds the text. */
export const holdsJsonText = (sql: SqlClient.SqlClient, column: string, text: string): Statement.Fragment =>
  sql`${sql.literal(column)} LIKE ${pattern(inJson(text))} ESCAPE '\\'`

/** Whether a column holds the text, as it is or as it stands within JSON. */
export const holdsText = (sql: SqlClient.SqlClient, column: string, text: string): Statement.Fragment =>
  sql`(${sql.literal(column)} LIKE ${pattern(text)} ESCAPE '\\' OR ${holdsJsonText(sql, column, text)})`
