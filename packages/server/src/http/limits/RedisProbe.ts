/** Whether a Redis answers at all: its client waits for ever for one that is mute. */
import { connect } from "node:net"
import { connect as connectTls } from "node:tls"
import { Effect, Schema } from "effect"

const PATIENCE_SECONDS = 5

/** It takes connections, and says nothing. */
export class RedisMute extends Schema.TaggedError<RedisMute>()("RedisMute", { host: Schema.String }) {
  override get message(): string {
    return `Redis does not answer: ${this.host} of CAIRN_REDIS_URL has said nothing for ${PATIENCE_SECONDS} seconds`
  }
}

const PORT = 6_379

/**
 * Asks, and takes any answer. A server that cannot be reached is left to the client, which says why.
 */
export const answersAtAll = (url: string): Effect.Effect<void, RedisMute> => {
  const { protocol, hostname, host, port } = new URL(url)
  const name = hostname.replace(/^\[|\]$/g, "")
  const at = { host: name, port: port === "" ? PORT : Number(port) }
  return Effect.callback<void>((resume) => {
    const socket =
      protocol === "rediss:"
        ? connectTls({ ...at, servername: name, rejectUnauthorized: false })
        : connect(at)
    const done = () => {
      socket.destroy()
      resume(Effect.void)
    }
    socket.once("data", done).once("error", done).once("close", done)
    socket.write("PING\r\n")
    return Effect.sync(() => socket.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: `${PATIENCE_SECONDS} seconds`,
      orElse: () => Effect.fail(new RedisMute({ host }))
    })
  )
}
