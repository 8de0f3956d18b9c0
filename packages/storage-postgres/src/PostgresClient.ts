/** The connection to PostgreSQL, configured so that nothing waits for ever. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { makeRegistry } from "./PostgresTypes.ts"
import { tlsOptions, UnreadableCertificate } from "./TlsOptions.ts"

/** Where the database is. */
export interface PostgresClientConfig {
  /**
   * `postgres://user:password@host:port/database?sslmode=require`, in libpq's form; see `docs/Operations.md`
   * for TLS. It must lead to PostgreSQL itself or to a pooler in session mode: sessions keep settings and
   * listen.
   */
  readonly url: Redacted.Redacted
  /** Most connections of this client; 10 unless set. */
  readonly maxConnections?: number
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

/** Whether the database may lose commits that it has confirmed. A `202` must not depend on such a commit. */
const warnIfForgetful = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ readonly commit: string; readonly fsync: string }>`
    SELECT current_setting('synchronous_commit') AS commit, current_setting('fsync') AS fsync`
  if (row?.commit === "off" || row?.fsync === "off") {
    yield* Effect.logWarning(
      "PostgreSQL confirms commits before they are on disk: accepted events can be lost in a power failure"
    ).pipe(Effect.annotateLogs({ synchronous_commit: row.commit, fsync: row.fsync }))
  }
})

const readTls = (url: Redacted.Redacted) =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(tlsOptions(Redacted.value(url)))
    } catch (error) {
      return error instanceof UnreadableCertificate ? Effect.fail(error) : Effect.die(error)
    }
  })

/** A pool of connections that says nothing of the database's settings. */
export const layerQuiet = ({ url, maxConnections = 10 }: PostgresClientConfig) =>
  Layer.unwrap(
    Effect.map(readTls(url), (ssl) =>
      PgClient.layer({
        url,
        ...(ssl === undefined ? {} : { ssl }),
        maxConnections,
        applicationName: "cairn",
        connectTimeout: "5 seconds",
        keepAlive: "5 seconds",
        startupParameters: SESSION,
        types: makeRegistry()
      })
    )
  )

/** A pool of connections. They are made when needed, and again after the database was unreachable. */
export const layer = (config: PostgresClientConfig) =>
  Layer.effectDiscard(warnIfForgetful).pipe(Layer.provideMerge(layerQuiet(config)))
