/** A real SMTP server that keeps what it is sent. */
import { createServer, type Socket } from "node:net"
import { Effect } from "effect"
import PostalMime, { type Email } from "postal-mime"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"

/** A mail as it came. */
export interface Delivered {
  /** Whom the envelope names, whatever the headers say. */
  readonly recipients: ReadonlyArray<string>
  readonly mail: Email
  /** Whether it came over TLS. */
  readonly secure: boolean
  /** Who logged in. */
  readonly user: string | undefined
}

const open = async (options: SMTPServerOptions, port: number) => {
  const delivered: Array<Delivered> = []
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onData: (stream, session, done) => {
      const keep = async (): Promise<void> => {
        const chunks: Array<Buffer> = []
        for await (const chunk of stream) chunks.push(chunk)
        delivered.push({
          recipients: session.envelope.rcptTo.map(({ address }) => address),
          mail: await PostalMime.parse(Buffer.concat(chunks)),
          secure: session.secure,
          user: session.user
        })
      }
      keep().then(() => done(), done)
    },
    ...options
  })
  // A client that hangs up is not the server's failure.
  server.on("error", () => {})
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve)
  })
  const address = server.server.address()
  if (address === null || typeof address === "string") throw new Error("it listens on no port")
  return { server, delivered, port: address.port }
}

/** Starts a server on a free port of loopback, or on the one given; it ends with the scope. */
export const startMailServer = (options: SMTPServerOptions = {}, port = 0) =>
  Effect.acquireRelease(
    Effect.promise(() => open(options, port)),
    ({ server }) => Effect.promise(() => new Promise<void>((resolve) => server.close(resolve)))
  )

/**
 * Starts a server that names no fault and takes no mail: to whom a mail is for, it answers by `stutter`,
 * every tenth of a second for ever.
 */
export const startStutteringServer = (stutter: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const connections = new Set<Socket>()
      const closed = new Set<Socket>()
      const server = createServer((socket) => {
        connections.add(socket)
        let timer: NodeJS.Timeout | undefined
        socket.on("error", () => {})
        socket.on("close", () => {
          closed.add(socket)
          clearInterval(timer)
        })
        socket.write("220 ready\r\n")
        socket.on("data", (chunk) => {
          if (!chunk.toString("latin1").startsWith("RCPT")) socket.write("250 go on\r\n")
          else timer ??= setInterval(stutter, 100, socket)
        })
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const address = server.address()
      if (address === null || typeof address === "string") throw new Error("it listens on no port")
      return { server, connections, closed, port: address.port }
    }),
    ({ server, connections }) =>
      Effect.promise(() => {
        for (const socket of connections) socket.destroy()
        return new Promise<void>((resolve) => server.close(() => resolve()))
      })
  )
