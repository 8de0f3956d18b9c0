/** A real HTTP or HTTPS server that keeps what it is sent. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import type { Certificate } from "./Certificates.ts"

/** A request as it came. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: Buffer
}

/** What the server does with a request. */
export type Answer = (request: Received, response: ServerResponse, raw: IncomingMessage) => void

const receive = async (request: IncomingMessage): Promise<Received> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    ),
    body: Buffer.concat(chunks)
  }
}

/** Starts a server on a free port of this machine's loopback; it ends with the scope. */
export const startWebServer = (answer: Answer, certificate?: Certificate) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const received: Array<Received> = []
      let connections = 0
      const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
        const whole = await receive(request)
        received.push(whole)
        answer(whole, response, request)
      }
      const listener = (request: IncomingMessage, response: ServerResponse): void => {
        handle(request, response).catch(() => response.destroy())
      }
      const server =
        certificate === undefined ? createServer(listener) : createSecureServer(certificate, listener)
      server.on("connection", () => {
        connections++
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const { port } = server.address() as AddressInfo
      return { server, port, received, connections: () => connections }
    }),
    ({ server }) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            server.closeAllConnections()
            server.close(() => resolve())
          })
      )
  )

/** Answers with a status and headers. */
export const status =
  (code: number, headers: Record<string, string> = {}, body = ""): Answer =>
  (_, response) => {
    response.writeHead(code, headers).end(body)
  }
