/** Conditions on columns that contain a text. */
import type { SqlClient, Statement } from "effect/sql"

/** A pattern for `LIKE … ESCAPE '\\'`. */
const pattern = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`

/** The text as it is written within JSON. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Whether a column with JSON contains the text. */
export const holdsJsonText = (sql: SqlClient.SqlClient, column: string, text: string): Statement.Fragment =>
  sql`${sql.literal(column)} LIKE ${pattern(inJson(text))} ESCAPE '\\'`

/** Whether a column contains the text, either as it is or as it is written within JSON. */
export const holdsText = (sql: SqlClient.SqlClient, column: string, text: string): Statement.Fragment =>
  sql`(${sql.literal(column)} LIKE ${pattern(text)} ESCAPE '\\' OR ${holdsJsonText(sql, column, text)})`
