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

/** A body of which nothing came for so long is not waited for by a server that closes. */
const HUNG_MILLIS = 5_000

/** Once the server closes, cuts requests whose bodies hang: they would use up the grace of all others. */
const cutHungBodies = (server: Server): void => {
  const open = new Set<IncomingMessage>()
  const keep: RequestListener = (request, response) => {
    if (request.complete) return
    open.add(request)
    response.once("close", () => open.delete(request))
  }
  server.on("request", keep)
  // A request that waits to be told to go on comes by another event, once somebody listens for it.
  server.on("newListener", (event, listener) => {
    if (event === "checkContinue" && listener !== keep)
      process.nextTick(() => server.off("checkContinue", keep).on("checkContinue", keep))
  })
  const cut = (before: ReadonlyMap<IncomingMessage, number>) => {
    for (const request of open)
      if (!request.complete && before.get(request) === request.socket.bytesRead) request.socket.destroy()
  }
  const watch = () => {
    const before = new Map([...open].map((request) => [request, request.socket.bytesRead]))
    if (before.size === 0) return
    setTimeout(() => {
      cut(before)
      watch()
    }, HUNG_MILLIS).unref()
  }
  const close = server.close.bind(server)
  server.close = (callback) => {
    watch()
    return close(callback)
  }
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
  cutHungBodies(server)
  keepEarlyRequests(server)
  return server
}
