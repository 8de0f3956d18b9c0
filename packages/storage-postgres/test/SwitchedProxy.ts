/**
 * One address behind which the database changes, as behind a name or a virtual address that moves with a
 * failover.
 */
import { connect, createServer, type Socket } from "node:net"

/** The address. */
export interface SwitchedProxy {
  /** The URL by way of it. */
  readonly url: string
  /** Leads to the server of another port from now on, and ends every connection that there is. */
  readonly switchTo: (port: number) => void
  readonly close: () => Promise<void>
}

/** Opens an address that leads to the server of this URL. */
export const switchedProxy = async (target: string): Promise<SwitchedProxy> => {
  const sockets = new Set<Socket>()
  let port = Number(new URL(target).port)
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1")
    const end = () => {
      for (const socket of [client, upstream]) {
        sockets.delete(socket)
        socket.destroy()
      }
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on("close", end)
      socket.on("error", end)
    }
    client.pipe(upstream)
    upstream.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const url = new URL(target)
  url.port = String(typeof address === "object" ? address?.port : "")
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    switchTo: (other) => {
      port = other
      cut()
    },
    close: () =>
      new Promise((resolve) => {
        cut()
        server.close(() => resolve())
      })
  }
}
