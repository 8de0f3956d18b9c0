/** PostgreSQL under test: a server of its own, from the npm package that the tests use. */
import { readFileSync } from "node:fs"
import { startPostgres } from "@cairn/testing/EmbeddedPostgres"
import { PgClient } from "@effect/sql-pg"
import { Effect, ManagedRuntime, Redacted } from "effect"
import { bareInserts } from "./BarePostgresInserts.ts"
import type { DatabaseServer, LogDatabase } from "./LogDatabase.ts"
import { storageAt } from "./Storage.ts"

/** Connections for the server under test, the adapter and the bare driver at once. */
const SETTINGS = { max_connections: "200" }

/** Seals secrets in the databases of a bench, which hold none: 32 bytes in base64. */
const SECRET_KEY = Buffer.alloc(32, 7).toString("base64")

/** The bare driver on one connection. */
const bareDriver = (url: string) => {
  const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
  return {
    query: (statement: string) =>
      runtime.runPromise(
        Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Record<string, unknown>>(statement))
      ),
    close: () => runtime.dispose()
  }
}

const TABLE_BYTES = `
  SELECT coalesce(sum(pg_total_relation_size(oid)) FILTER (WHERE relname LIKE 'search%'), 0)::float8 AS search,
    coalesce(sum(pg_total_relation_size(oid)) FILTER (WHERE relname NOT LIKE 'search%'), 0)::float8 AS log
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`

/** Changes a setting of the whole server, for the connections that are open too. */
const setServer = async (query: LogDatabase["query"], setting: string): Promise<void> => {
  await query(`ALTER SYSTEM SET ${setting}`)
  await query("SELECT pg_reload_conf()")
}

const WAL_BYTES = "SELECT sum(size)::float8 AS bytes FROM pg_ls_waldir()"

const parentOf = (pid: number): number =>
  Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])

/** A server process and those that it forked. */
const withChildren = (pid: number): ReadonlyArray<number> => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number)
]

const databaseAt = async (url: string, drop: () => Promise<unknown>): Promise<LogDatabase> => {
  const { query, close } = bareDriver(url)
  const [backend] = await query("SELECT pg_backend_pid() AS pid")
  const server = parentOf(Number(backend?.pid))
  const environment = { CAIRN_DATABASE_URL: url, CAIRN_SECRET_KEY: SECRET_KEY }
  return {
    product: "PostgreSQL",
    environment,
    storage: storageAt(environment),
    query,
    bulk: async (task) => {
      await setServer(query, "synchronous_commit = off")
      await task()
      await setServer(query, "synchronous_commit = on")
    },
    settle: async () => {
      await query("VACUUM (ANALYZE)")
      await query("CHECKPOINT")
    },
    size: async () => {
      const [row] = await query(TABLE_BYTES)
      return { log: Number(row?.log), search: Number(row?.search) }
    },
    writeAhead: async () => {
      const [row] = await query(WAL_BYTES)
      return Number(row?.bytes)
    },
    processes: () => withChildren(server),
    remove: async () => {
      await close()
      await drop()
    }
  }
}

/** Starts the server. */
export const postgres = async (): Promise<DatabaseServer> => {
  const server = await startPostgres({ settings: SETTINGS })
  const newDatabase = async () => {
    const url = await server.newDatabase()
    const { pathname } = new URL(url)
    const anywhere = url.replace(pathname, "/postgres")
    return databaseAt(url, () => server.query(anywhere, `DROP DATABASE ${pathname.slice(1)} WITH (FORCE)`))
  }
  const first = await newDatabase()
  const [version] = await first.query(
    "SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit"
  )
  await first.remove()
  return {
    product: "PostgreSQL",
    durability: `${version?.version}, fsync=${version?.fsync}, synchronous_commit=${version?.commit}`,
    newDatabase,
    bareInserts: async () => {
      const database = await newDatabase()
      const rate = await bareInserts(database)
      await database.remove()
      return rate
    },
    stop: server.stop
  }
}
