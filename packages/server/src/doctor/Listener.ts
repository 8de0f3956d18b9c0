/** Who listens on a port of this machine. */
import { connect } from "node:net"
import { Effect } from "effect"

/** Nobody, Cairn, or another program. */
export type Listener = "nobody" | "cairn" | "another"

const LIMIT_MILLIS = 3_000

/** Whether anybody takes a connection. */
const takes = (host: string, port: number): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const socket = connect({ host, port })
    const end = (taken: boolean) => () => {
      socket.destroy()
      resume(Effect.succeed(taken))
    }
    socket.setTimeout(LIMIT_MILLIS, end(false))
    socket.once("connect", end(true))
    socket.on("error", end(false))
    return Effect.sync(() => socket.destroy())
  })

/** How an answer of Cairn begins: its health, or its metrics. */
const OF_CAIRN = /^(?:\{"status":"ok"\}|# (?:HELP|TYPE) (?:cairn|process)_)/

const answersAsCairn = (host: string, port: number, path: string) =>
  Effect.tryPromise(async (signal) => {
    const name = host.includes(":") ? `[${host}]` : host
    const answer = await fetch(`http://${name}:${port}${path}`, {
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MILLIS)])
    })
    return OF_CAIRN.test(await answer.text())
  }).pipe(Effect.orElseSucceed(() => false))

/** Who listens at an address that a server would listen at. */
export const listenerAt = Effect.fnUntraced(function* (
  host: string,
  port: number,
  path = "/healthz"
): Effect.fn.Return<Listener> {
  const at = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  if (!(yield* takes(at, port))) return "nobody"
  return (yield* answersAsCairn(at, port, path)) ? "cairn" : "another"
})
