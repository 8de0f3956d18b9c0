/** What a server says of where it is: what a primary has written, and what a replica has replayed. */
import type { ReachedPosition, StorePosition } from "@cairn/core/log"
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { TIMELINE } from "./Timeline.ts"

/** The same on a database and on every copy of it. */
const SYSTEM = "(SELECT lpad(to_hex(system_identifier), 16, '0') FROM pg_control_system())"

/**
 * What is on the disk: no replica has more, and every commit that was confirmed is in it, unless commits are
 * confirmed before they are on the disk.
 */
const WRITTEN = `CASE WHEN current_setting('synchronous_commit') = 'off'
  THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END`

/** The clock is read in a subquery, which is done before anything that is selected from it. */
const POSITION = `SELECT ${SYSTEM} AS system, ${TIMELINE} AS timeline,
  (${WRITTEN} - '0/0'::pg_lsn)::bigint AS written, (extract(epoch FROM time) * 1000000)::bigint AS at
  FROM (SELECT clock_timestamp() AS time OFFSET 0) AS clock`

/** Where the primary is. Fails on a replica. */
export const readPosition = (sql: PgClient.PgClient): Effect.Effect<ReachedPosition, SqlError> =>
  Effect.flatMap(sql.unsafe<ReachedPosition>(POSITION), ([row]) =>
    row === undefined ? Effect.die(new Error("the database told no position")) : Effect.succeed(row)
  )

/**
 * What a server says of itself. The history that a replica follows is that of the server which it receives
 * from; without one, or where that is not shown, the newest that its control file knows.
 */
export interface ReplicaState {
  readonly system: string
  readonly timeline: number
  /** Null if it replays nothing and never has. */
  readonly replayed: number | null
  readonly recovering: boolean
}

/** The question for {@link ReplicaState}. */
export const REPLICA_STATE = `SELECT ${SYSTEM} AS system, pg_is_in_recovery() AS recovering,
  coalesce(
    (SELECT received_tli FROM pg_stat_wal_receiver WHERE status = 'streaming'),
    (SELECT greatest(timeline_id, min_recovery_end_timeline)
      FROM pg_control_checkpoint(), pg_control_recovery())
  )::bigint AS timeline,
  (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint AS replayed`

/** Why a server's answers are not those of the database at a position, in words that follow "it". */
export const unfitness = (
  { system, timeline, replayed, recovering }: ReplicaState,
  needed: StorePosition
): string | undefined => {
  if (system !== needed.system) return "is a copy of another database"
  if (!recovering) return "is no replica: it takes writes"
  if (timeline !== needed.timeline) return `follows timeline ${timeline}, not ${needed.timeline}`
  return (replayed ?? 0) >= needed.written ? undefined : "is behind"
}
