/** Where the workspaces of a database over several machines are. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** A worker. */
export interface Worker {
  readonly port: number
  /** The numbers of the workspaces that it has. */
  readonly workspaces: ReadonlyArray<number>
}

/** The workers that have workspaces. */
export const workers = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<Worker>`
    SELECT n.nodeport AS port, array_agg(w.number ORDER BY w.number) AS workspaces
    FROM workspace w
    CROSS JOIN LATERAL get_shard_id_for_distribution_column('head', w.number) s (id)
    JOIN pg_dist_placement p ON p.shardid = s.id JOIN pg_dist_node n ON n.groupid = p.groupid
    GROUP BY n.nodeport ORDER BY n.nodeport`
)
