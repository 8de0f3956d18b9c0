/** The time of a time server (RFC 4330), asked once. */
import { createSocket } from "node:dgram"
import { Micros } from "@cairn/core/encoding"
import { Effect } from "effect"

const PORT = 123
const PACKET_BYTES = 48
/** Version 4, a client. */
const CLIENT = 0x23
/** Where an answer has the time at which it was sent. */
const TRANSMITTED = 40
/** Seconds from 1900 to 1970. */
const SINCE_1900 = 2_208_988_800
const LIMIT_MILLIS = 3_000

/** `host`, `host:port`, an address, or one in brackets with a port. */
const placeOf = (server: string): { readonly host: string; readonly port: number } => {
  const [, inBrackets, name, port = PORT] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(server) ?? []
  return { host: inBrackets ?? name ?? server, port: Number(port) }
}

const exchange = (server: string): Effect.Effect<Buffer, Error> =>
  Effect.callback((resume) => {
    const { host, port } = placeOf(server)
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4")
    const packet = Buffer.alloc(PACKET_BYTES)
    packet[0] = CLIENT
    socket.once("error", (error) => resume(Effect.fail(error)))
    socket.once("message", (answer) => resume(Effect.succeed(answer)))
    socket.send(packet, port, host, (error) => {
      if (error !== null) resume(Effect.fail(error))
    })
    return Effect.sync(() => socket.close())
  })

/** How far this clock is ahead of a time server's, in microseconds: within the time of the exchange. */
export const askTime = Effect.fnUntraced(function* (server: string) {
  const answer = yield* Effect.timeoutOrElse(exchange(server), {
    duration: LIMIT_MILLIS,
    orElse: () => Effect.fail(new Error(`no answer within ${LIMIT_MILLIS} ms`))
  })
  const now = yield* Micros.now
  if (answer.length < PACKET_BYTES) return yield* Effect.fail(new Error("the answer is no time"))
  const seconds =
    answer.readUInt32BE(TRANSMITTED) - SINCE_1900 + answer.readUInt32BE(TRANSMITTED + 4) / 2 ** 32
  return now - Math.round(seconds * Micros.SECOND)
})
