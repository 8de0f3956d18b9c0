/** A request over a socket of the test's own, whose answer is read when the test says so. */
import { connect, type Socket } from "node:net"
import { Effect } from "effect"
import { type Sent, TestServer } from "./TestServer.ts"

/** What has come of an answer, and how it ended. */
export interface RawAnswer {
  readonly socket: Socket
  /** Everything that was read so far. */
  readonly text: () => string
  /** `end` by the server, `reset`, or undefined while it is open. */
  readonly ended: () => "end" | "reset" | undefined
  /** Resolves once it has ended, or `isEnough` says so of what has come. */
  readonly read: (isEnough?: (text: string) => boolean) => Promise<void>
  /** Takes what comes for so long. */
  readonly readFor: (millis: number) => Promise<void>
}

const GIVE_UP_MILLIS = 20_000

const makeAnswer = (socket: Socket): RawAnswer => {
  const pieces: Array<Buffer> = []
  let ended: ReturnType<RawAnswer["ended"]>
  let changed: () => void = () => {}
  // Latin-1 keeps each byte a character.
  const text = () => Buffer.concat(pieces).toString("latin1")
  socket.on("error", () => {
    ended = "reset"
    changed()
  })
  socket.on("end", () => {
    ended ??= "end"
    changed()
  })
  socket.on("close", () => {
    ended ??= "end"
    changed()
  })
  const onData = (piece: Buffer) => {
    pieces.push(piece)
    changed()
  }
  return {
    socket,
    text,
    ended: () => ended,
    read: (isEnough = () => false) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`nothing more comes after ${text().slice(-300)}`)),
          GIVE_UP_MILLIS
        )
        changed = () => {
          if (ended === undefined && !isEnough(text())) return
          clearTimeout(timer)
          socket.off("data", onData).pause()
          resolve()
        }
        socket.on("data", onData).resume()
        changed()
      }),
    readFor: (millis) =>
      new Promise((resolve) => {
        socket.on("data", onData).resume()
        setTimeout(() => {
          socket.off("data", onData).pause()
          resolve()
        }, millis)
      })
  }
}

/** Sends a request, of which nothing is read yet; its socket is closed with the scope. */
export const rawRequest = Effect.fnUntraced(function* (
  { path, key, headers = {} }: Pick<Sent, "path" | "key" | "headers">,
  version: "1.0" | "1.1" = "1.1"
) {
  const { port } = yield* TestServer
  const socket = yield* Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Socket>((resolve) => {
          const made = connect({ port, host: "127.0.0.1" }, () => resolve(made))
        })
    ),
    (open) => Effect.sync(() => open.destroy())
  )
  socket.pause()
  const own = { host: "localhost", ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) }
  const lines = Object.entries({ ...own, ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  socket.write(`GET ${path} HTTP/${version}\r\n${head}\r\n`)
  return makeAnswer(socket)
})

/** Resolves once something is so, looked at often. */
export const until = (isSo: () => boolean) =>
  Effect.promise(async () => {
    const end = performance.now() + GIVE_UP_MILLIS
    while (!isSo()) {
      if (performance.now() > end) throw new Error("it never came to be so")
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })
