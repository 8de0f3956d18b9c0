/** The connection to PostgreSQL, set up so that nothing waits for ever. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { makeRegistry } from "./PostgresTypes.ts"
import { tlsOptions, UnreadableCertificate } from "./TlsOptions.ts"

/** Where the database is. */
export interface PostgresClientConfig {
  /**
   * `postgres://user:password@host:port/database?sslmode=require`, as libpq reads it; see
   * `docs/Operations.md` for TLS. It must lead to PostgreSQL itself or to a pooler in session mode: sessions
   * keep settings and listen.
   */
  readonly url: Redacted.Redacted
  /** Most connections of this client; 10 unless set. */
  readonly maxConnections?: number
}

/** Settings of each session, in milliseconds unless they say otherwise. */
const SESSION = {
  // A process that stalls in the middle of an append gives its workspace back.
  idle_in_transaction_session_timeout: "5000",
  lock_timeout: "10000",
  statement_timeout: "60000",
  // The server notices a peer that is gone without a word, and lets go of what it held; in seconds.
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3",
  // Nor does it wait for a peer that is there and takes nothing, such as a process that was stopped while an
  // answer was on its way: no other limit ends a session that waits to send. A server on a system without
  // this, or behind a Unix socket, goes without.
  tcp_user_timeout: "10000",
  // Each query is planned for its own filter: a tenth of a millisecond, against a plan that fits another
  // workspace.
  plan_cache_mode: "force_custom_plan"
}

/** Whether the database forgets commits it has confirmed, which an event's `202` must not rest upon. */
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

/** A pool of connections. They are made when needed, and made anew after the database was away. */
export const layer = ({ url, maxConnections = 10 }: PostgresClientConfig) =>
  Layer.effectDiscard(warnIfForgetful).pipe(
    Layer.provideMerge(
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
    )
  )
