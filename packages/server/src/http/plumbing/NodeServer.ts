/** Node's HTTP server as Cairn uses it: HTTP/1.1 and nothing else. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse
} from "node:http"

/** What a connection may take; beyond, it is closed. Milliseconds. */
const TIMEOUTS = {
  // A client that sends its request more slowly only holds a connection open.
  requestTimeout: 60_000,
  headersTimeout: 15_000,
  // Longer than load balancers keep theirs, so that they close first.
  keepAliveTimeout: 65_000
}

/** Keeps requests that arrive before the server has a listener for them, and hands them to that listener. */
const keepEarlyRequests = (server: Server): void => {
  const early: Array<[request: IncomingMessage, response: ServerResponse]> = []
  const keep = (request: IncomingMessage, response: ServerResponse) => early.push([request, response])
  server.on("request", keep)
  const answer = (event: string | symbol, listener: RequestListener) => {
    if (event !== "request") return
    server.off("newListener", answer).off("request", keep)
    process.nextTick(() => {
      for (const [request, response] of early.splice(0)) listener.call(server, request, response)
    })
  }
  server.on("newListener", answer)
}

/** Makes the server; it does not listen yet. */
export const makeNodeServer = (): Server => {
  const server = createServer(TIMEOUTS)
  // The platform listens for upgrades, and then Node does not parse the body of a request that offers one.
  // Java's client offers h2c with its first request on every connection. Without a listener such a request is
  // one like any other (RFC 9110 section 7.8).
  server.on("newListener", (event) => {
    if (event === "upgrade") process.nextTick(() => server.removeAllListeners("upgrade"))
  })
  // Node closes the connections that are idle when it stops listening; those that become idle once their
  // answer is sent are closed here, or each client that keeps its connection would use up the grace.
  server.on("request", (_, response) =>
    response.once("close", () => {
      if (!server.listening) server.closeIdleConnections()
    })
  )
  keepEarlyRequests(server)
  return server
}
