/** The sockets to one server, which can be cut all at once: whatever waits for an answer then fails. */
import { connect, type Socket } from "node:net"
import { PgConnection } from "@effect/sql-pg"
import { Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { noConnection } from "./SqlState.ts"

/** The sockets. */
export interface ServerSockets {
  /** Opens one. */
  readonly open: () => Socket
  /** Closes every one of them at once. */
  readonly cut: () => void
}

/** Idle time after which the system asks whether the other end is still there. */
const KEEP_ALIVE_MILLIS = 5_000

const targetOf = (url: string) => {
  const { hostname, port, searchParams } = new URL(url)
  const named = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, "$1")
  const host = searchParams.get("host") ?? (named === "" ? "localhost" : named)
  const at = Number(searchParams.get("port") ?? port) || 5432
  if (host.startsWith("/")) return { path: `${host}/.s.PGSQL.${at}` }
  // A statement is one write and then a wait for its answer.
  return { host, port: at, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MILLIS }
}

/** Sockets to the server of a URL that names one. */
export const serverSockets = (url: string): ServerSockets => {
  const target = targetOf(url)
  const sockets = new Set<Socket>()
  return {
    open: () => {
      const socket = connect(target)
      sockets.add(socket)
      return socket.once("close", () => sockets.delete(socket))
    },
    cut: () => {
      for (const socket of sockets) socket.destroy()
    }
  }
}

/** Uses a session of its own, which is cut if that takes longer than `millis`: the server does not answer. */
export const briefly = <A>(
  config: PgConnection.Config,
  url: string,
  millis: number,
  use: (session: PgConnection.PgConnection) => Effect.Effect<A, SqlError, Scope.Scope>
): Effect.Effect<A, SqlError> =>
  Effect.suspend(() => {
    const { open, cut } = serverSockets(url)
    let late = false
    const timer = setTimeout(() => {
      late = true
      cut()
    }, millis)
    return Effect.scoped(Effect.flatMap(PgConnection.make({ ...config, stream: open }), use)).pipe(
      Effect.mapError((error) => (late ? noConnection("the server does not answer") : error)),
      Effect.ensuring(Effect.sync(() => clearTimeout(timer)))
    )
  })
