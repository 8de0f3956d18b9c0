/**
 * A line between a client and PostgreSQL that can be cut at the worst time: when the server has committed and
 * not said so yet.
 */
import { connect, createServer, type Socket } from "node:net"

/** The line. */
export interface CuttingProxy {
  /** The server's URL by way of the line. */
  readonly url: string
  /** The next commit's answer never arrives, nor does anything after it on that connection. */
  readonly loseNextCommit: () => void
  /** How often that has happened. */
  readonly lost: () => number
  /** Ports by which the server knows the connections that are open. */
  readonly ports: () => ReadonlyArray<number>
  readonly close: () => Promise<void>
}

/** Of a message of the server's: one byte for its type and four for its length. */
const HEADER = 5

/**
 * What the server says when it has committed: itself, or with a statement that was a transaction of its own.
 */
const COMMITTED = /^(?:COMMIT|INSERT)/

/** Opens a line to the server of this URL. */
export const cuttingProxy = async (target: string): Promise<CuttingProxy> => {
  const { port, hostname } = new URL(target)
  const upstreams = new Set<Socket>()
  let armed = false
  let lost = 0

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    upstreams.add(upstream)
    const end = () => {
      upstreams.delete(upstream)
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true)
      socket.on("close", end)
      socket.on("error", end)
    }
    client.on("data", (bytes) => upstream.write(bytes))

    let pending = Buffer.alloc(0)
    let isCut = false
    upstream.on("data", (bytes) => {
      pending = Buffer.concat([pending, bytes])
      for (;;) {
        const length = pending.length < HEADER ? 0 : 1 + pending.readUInt32BE(1)
        if (length === 0 || pending.length < length) return
        const message = pending.subarray(0, length)
        pending = pending.subarray(length)
        const type = String.fromCharCode(message[0] ?? 0)
        if (armed && type === "C" && COMMITTED.test(message.toString("latin1", HEADER))) {
          armed = false
          isCut = true
        }
        // A statement that is a transaction of its own is committed by the time the server is ready for the
        // next one.
        if (isCut && type === "Z") {
          lost++
          end()
          return
        }
        if (!isCut) client.write(message)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const url = new URL(target)
  url.port = String(typeof address === "object" ? address?.port : "")
  return {
    url: url.href,
    loseNextCommit: () => {
      armed = true
    },
    lost: () => lost,
    ports: () => Array.from(upstreams).flatMap(({ localPort }) => localPort ?? []),
    close: () =>
      new Promise((resolve) => {
        for (const upstream of upstreams) upstream.destroy()
        server.close(() => resolve())
      })
  }
}
