/**
 * Limits rows by the size of their contents: up to the one that reaches the limit. The database knows the
 * size without reading a content that it stores separately, and sends none of the others.
 */
import type { ReadNewest } from "@cairn/storage-sql"
import { ENTRY_COLUMNS } from "@cairn/storage-sql"
import type { SqlClient, Statement } from "effect/sql"

/**
 * Of a few rows of `event`, those up to the one that reaches the limit in this order; to be read as the table
 * `e`.
 */
export const enoughOf = (
  sql: SqlClient.SqlClient,
  rows: Statement.Fragment,
  order: "ASC" | "DESC",
  enough: number
): Statement.Fragment => sql`(
  SELECT * FROM (
    SELECT *, sum(coalesce(octet_length(content), 0)) OVER (ORDER BY sequence ${sql.literal(order)})
      - coalesce(octet_length(content), 0) AS earlier
    FROM (${rows}) candidates
  ) counted
  WHERE earlier < ${enough}
) e`

/** The newest rows of a page. */
export const newestRows =
  (sql: SqlClient.SqlClient): ReadNewest =>
  (conditions, { limit, enough }) => {
    const columns = sql.literal(ENTRY_COLUMNS)
    const newest = sql`
      SELECT ${columns} FROM event e WHERE ${conditions} ORDER BY e.sequence DESC LIMIT ${limit}`
    return sql`SELECT ${columns} FROM ${enoughOf(sql, newest, "DESC", enough)} ORDER BY e.sequence DESC`
  }
