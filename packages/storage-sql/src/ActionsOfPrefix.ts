/** The actions that begin with a prefix. */
import { prefixEnd } from "@cairn/core/event"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"

/**
 * Different actions of a prefix that are followed one by one; for a prefix with more, every event is read.
 */
export const MAX_ACTIONS = 100

/**
 * The different actions, up to one more than {@link MAX_ACTIONS}, each found by one step through the index:
 * `DISTINCT` would walk over every event.
 */
export const actionsOf = (sql: SqlClient.SqlClient, workspace: number, prefix: string) => {
  const least = (bound: Statement.Fragment) =>
    sql`SELECT min(action) FROM event WHERE workspace = ${workspace} AND action ${bound} AND action < ${prefixEnd(prefix)}`
  const found = sql<{ readonly action: string }>`
    WITH RECURSIVE found (action) AS (
      ${least(sql`>= ${prefix}`)}
      UNION ALL
      SELECT (${least(sql`> found.action`)}) FROM found WHERE found.action IS NOT NULL
    )
    SELECT action FROM found WHERE action IS NOT NULL LIMIT ${MAX_ACTIONS + 1}`
  return Effect.map(found, (rows) => rows.map(({ action }) => action))
}
