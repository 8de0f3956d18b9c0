/** The machines of the tests' coordinator, which run here: one of them can be killed, and started again. */
import { spawn } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
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

/** Its first process, with what started it. */
const processOf = Effect.fnUntraced(function* (port: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ readonly result: string }>`
    SELECT result FROM run_command_on_workers('SELECT pg_read_file(''postmaster.pid'')') WHERE nodeport = ${port}`
  const [pid = "", folder = ""] = (row?.result ?? "").split("\n")
  const [program = "", ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1)
  const { uid, gid } = statSync(`/proc/${pid}`)
  return { pid: Number(pid), folder, program, args, uid, gid }
})

/** Kills a worker; what it gives starts it again, as it was. */
export const killWorker = Effect.fnUntraced(function* (port: number) {
  const { pid, folder, program, args, uid, gid } = yield* processOf(port)
  process.kill(pid, "SIGKILL")
  return Effect.sync(() => {
    const options = { cwd: folder, uid, gid, detached: true, stdio: "ignore" } as const
    spawn(program, args, options).unref()
  })
})
