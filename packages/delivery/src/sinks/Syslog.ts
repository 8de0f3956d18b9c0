/**
 * `syslog`: RFC 5424 over TLS (RFC 5425) or plain TCP (RFC 6587).
 *
 * Syslog has no acknowledgement. The closest is the end of a connection: each batch has its own, closed after
 * the last message, and counts as taken when the receiver closes its side, which it does after reading
 * everything. If the receiver keeps its side open, the batch counts as taken after a while without errors.
 */
import { connect, type Socket } from "node:net"
import { rootCertificates, connect as tlsConnect } from "node:tls"
import { type SinkFailed, type StreamRecord, type StreamTest, SyslogDestination } from "@cairn/core/outbound"
import { Effect, Option, Result } from "effect"
import { syslogFrame, syslogTestFrame } from "./Rfc5424.ts"
import { connectionFailed, sinkFailed } from "./SinkFailure.ts"
import { refusedAt, type SinkEnvironment, sinkKind } from "./SinkKind.ts"

/** Milliseconds to wait for a receiver to close its side. */
const PATIENCE = 5_000

type Config = typeof SyslogDestination.Type

const broken = (error: Error) => Effect.fail(connectionFailed(error))

/** A connecting socket, which is destroyed with the scope. */
const dial = ({ host, port, tls }: Config, { guard }: SinkEnvironment) =>
  Effect.acquireRelease(
    Effect.sync((): Socket => {
      const { lookup, authorities } = guard
      const trust = authorities === undefined ? {} : { ca: [...rootCertificates, ...authorities] }
      const socket = tls ? tlsConnect({ host, port, lookup, ...trust }) : connect({ host, port, lookup })
      guard.watch(socket)
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Waits until the connection is established; over TLS, until the certificate is checked. */
const established = (socket: Socket, { tls }: Config): Effect.Effect<void, SinkFailed> =>
  Effect.callback((resume) => {
    // The listener stays: a connection that breaks later must not end the process.
    socket.on("error", (error) => resume(broken(error)))
    socket.once(tls ? "secureConnect" : "connect", () => resume(Effect.void))
  })

/** Writes everything and closes our side; returns when the operating system has taken it all. */
const flush = (socket: Socket, frames: Buffer): Effect.Effect<void, SinkFailed> =>
  Effect.callback((resume) => {
    socket.on("error", (error) => resume(broken(error)))
    socket.on("end", () => resume(Effect.fail(sinkFailed("the receiver closed the connection early"))))
    // Data from the receiver must be read, or its end is not noticed.
    socket.resume()
    socket.end(frames, () => resume(Effect.void))
  })

/** Waits for the receiver to close its side. */
const settle = (socket: Socket): Effect.Effect<void, SinkFailed> =>
  Effect.callback((resume) => {
    const ended = (): void => {
      resume(socket.errored === null ? Effect.void : broken(socket.errored))
    }
    if (socket.closed) ended()
    else socket.once("close", ended)
  })

export const syslog = sinkKind({
  type: "syslog",
  config: SyslogDestination,
  secrets: [],
  batch: { events: 500, size: 1_000_000, seconds: 5 },
  check: ({ host }, { guard }) => {
    const refusal = guard.checkHost(host)
    return refusal === undefined ? Result.void : Result.fail(refusedAt("host")(refusal))
  },
  place: ({ host, port, tls }) => ({ host, port, tls }),
  open: (config, environment) => {
    const header = {
      facility: config.facility,
      hostname: config.hostname,
      appName: config.app_name,
      workspaceId: environment.workspaceId
    }
    const patience = Math.min(PATIENCE, environment.timeout)
    /** Sends everything over a connection of its own; whether the receiver has closed it. */
    const transmit = (frames: Buffer): Effect.Effect<boolean, SinkFailed> =>
      Effect.scoped(
        Effect.gen(function* () {
          const refusal = environment.guard.checkHost(config.host)
          if (refusal !== undefined) return yield* sinkFailed(refusal.message)
          const socket = yield* dial(config, environment)
          yield* Effect.timeoutOrElse(established(socket, config), {
            duration: environment.timeout,
            orElse: () => Effect.fail(sinkFailed(`no connection within ${environment.timeout} ms`))
          })
          yield* Effect.timeoutOrElse(flush(socket, frames), {
            duration: environment.timeout,
            orElse: () => Effect.fail(sinkFailed(`not accepted within ${environment.timeout} ms`))
          })
          return Option.isSome(yield* Effect.timeoutOption(settle(socket), patience))
        })
      )
    const send = Effect.fn("SyslogSink.send")((records: ReadonlyArray<StreamRecord>) =>
      Effect.asVoid(
        Effect.suspend(() =>
          transmit(Buffer.concat(records.map((record) => syslogFrame(header, record, environment.json))))
        )
      )
    )
    const sendTest = Effect.fn("SyslogSink.sendTest")((test: StreamTest) =>
      Effect.map(transmit(syslogTestFrame(header, test, environment.json)), (closed) => ({
        accepted: true,
        status: null,
        text: closed
          ? "the receiver closed the connection after it had read everything"
          : `no error within ${patience} ms; the receiver has not closed the connection`
      }))
    )
    return Effect.succeed({ send, sendTest })
  }
})
