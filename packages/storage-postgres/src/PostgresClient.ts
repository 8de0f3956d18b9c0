/** The connection to PostgreSQL, configured so that nothing waits for ever. */
import { PgClient, type PgPool } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { InvalidDatabaseUrl, readDatabaseUrl } from "./DatabaseUrl.ts"
import { addressOf, askMachine, isWorker, machinesOf } from "./Machines.ts"
import { makeRegistry } from "./PostgresTypes.ts"
import { askAll, choose, type ServersConfig } from "./Servers.ts"
import { makeClient } from "./Sessions.ts"
import { tlsOptions, UnreadableCertificate } from "./TlsOptions.ts"

/** Where the database is. */
export interface PostgresClientConfig {
  /**
   * `postgres://user:password@host:port/database?sslmode=require`, in libpq's form. Several servers are
   * `one:5432,two:5432`; see `docs/Operations.md` for TLS and failover. It must lead to PostgreSQL itself or
   * to a pooler in session mode: sessions keep settings and listen.
   */
  readonly url: Redacted.Redacted
  /** Most connections of this client; 10 unless set. */
  readonly maxConnections?: number
  /** Eight bytes with the newest timeline that was seen of the database; without them none is known. */
  readonly timeline?: SharedArrayBuffer
  /** Whether to log which of several servers is used; true unless set. */
  readonly tells?: boolean
  /** Whether the sessions refuse to write. */
  readonly readOnly?: boolean
  /** Whether a primary that takes no writes is used too, where the URL asks for one that does. */
  readonly anyPrimary?: boolean
}

/** Settings of each session, in milliseconds unless stated otherwise. */
const SESSION = {
  // A process that stalls in the middle of an append loses its session, and so its lock on the workspace.
  idle_in_transaction_session_timeout: "5000",
  lock_timeout: "10000",
  statement_timeout: "60000",
  // The server notices a client that has disappeared, and releases its locks; in seconds.
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3",
  // It also does not wait for a client that is there but does not read, such as a process that was stopped
  // while a response was being sent: no other limit ends a session that waits to send. A server on a system
  // without this option, or behind a Unix socket, does without.
  tcp_user_timeout: "10000",
  // Each query is planned for its own filter: that costs a tenth of a millisecond and avoids a plan made for
  // another workspace.
  plan_cache_mode: "force_custom_plan"
}

/** Which of these is off decides whether what was confirmed is on disk. */
interface Durability {
  readonly commit: string
  readonly fsync: string
}

const DURABILITY = "SELECT current_setting('synchronous_commit') AS commit, current_setting('fsync') AS fsync"

/** Whether a machine may lose commits that it has confirmed. A `202` must not depend on such a commit. */
const judgeDurability = (row: Durability | undefined, machine: Readonly<Record<string, string>>) =>
  row?.commit === "off" || row?.fsync === "off"
    ? Effect.logWarning(
        "PostgreSQL confirms commits before they are on disk: accepted events can be lost in a power failure"
      ).pipe(Effect.annotateLogs({ ...machine, synchronous_commit: row.commit, fsync: row.fsync }))
    : Effect.void

/** The same of each machine that has a part of the log. One that is away is reported elsewhere. */
const warnOfMachines = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  for (const machine of (yield* machinesOf(sql)).filter(isWorker)) {
    const answer = yield* askMachine<Durability>(sql, machine, DURABILITY)
    if (Result.isSuccess(answer)) yield* judgeDurability(answer.success[0], { machine: addressOf(machine) })
  }
})

/** Warns of each that may. What is asked of other machines keeps nobody waiting. */
const warnIfForgetful = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<Durability>`${sql.literal(DURABILITY)}`
  yield* judgeDurability(row, {})
  yield* Effect.forkScoped(Effect.ignore(warnOfMachines))
})

/** How long to try to connect to the only server, and to one of several. */
const [CONNECT, CONNECT_ELSEWHERE] = ["5 seconds", "2 seconds"] as const

/** The servers of a URL. */
export const readUrl = (url: Redacted.Redacted) =>
  Effect.mapError(
    Effect.fromResult(readDatabaseUrl(Redacted.value(url))),
    (must) => new InvalidDatabaseUrl({ must })
  )

/** How sessions are made on each server of a URL; reads the files that the URL names. */
const readServers = ({
  url,
  maxConnections = 10,
  timeline,
  tells = true,
  readOnly = false,
  anyPrimary = false
}: PostgresClientConfig) =>
  Effect.gen(function* () {
    const read = yield* readUrl(url)
    const ssl = yield* Effect.try({
      try: () => tlsOptions(read.hosts[0]?.url ?? ""),
      catch: (error) => error
    }).pipe(
      Effect.catch((error) =>
        error instanceof UnreadableCertificate ? Effect.fail(error) : Effect.die(error)
      )
    )
    const named = Number(new URL(read.hosts[0]?.url ?? "").searchParams.get("connect_timeout") ?? Number.NaN)
    const config: Omit<PgPool.Config, "url"> = {
      ...(ssl === undefined ? {} : { ssl }),
      maxConnections,
      applicationName: "cairn",
      ...(named > 0 ? {} : { connectTimeout: read.hosts.length > 1 ? CONNECT_ELSEWHERE : CONNECT }),
      startupParameters: readOnly ? { ...SESSION, default_transaction_read_only: "on" } : SESSION,
      types: makeRegistry()
    }
    const seen = timeline === undefined ? undefined : new BigInt64Array(timeline)
    const servers: ServersConfig = {
      ...read,
      needs: anyPrimary && read.needs === "read-write" ? "primary" : read.needs,
      configOf: (host) => ({ ...config, url: Redacted.make(host.url) }),
      newest: () => (seen === undefined ? 0 : Number(Atomics.load(seen, 0))),
      tells
    }
    return servers
  })

/** The URL with the server alone that is to be used now. */
export const servingUrl = (url: Redacted.Redacted) =>
  Effect.map(
    Effect.flatMap(readServers({ url }), (servers) => choose(servers, { system: null, current: undefined })),
    ({ host }) => Redacted.make(host.url)
  )

/** What each server of the URL says of itself, or why it does not. */
export const askServers = (config: PostgresClientConfig) => Effect.flatMap(readServers(config), askAll)

/** A pool of connections that says nothing of the database's settings. */
export const layerQuiet = (config: PostgresClientConfig) =>
  Layer.effectContext(
    Effect.map(Effect.flatMap(readServers(config), makeClient), (client) =>
      Context.make(PgClient.PgClient, client).pipe(Context.add(SqlClient.SqlClient, client))
    )
  ).pipe(Layer.provide(Reactivity.layer))

/** A pool of connections. They are made when needed, and again after the database was unreachable. */
export const layer = (config: PostgresClientConfig) =>
  Layer.effectDiscard(warnIfForgetful).pipe(Layer.provideMerge(layerQuiet(config)))
