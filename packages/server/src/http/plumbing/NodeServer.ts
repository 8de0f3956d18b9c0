/** Node's HTTP server as Cairn uses it: HTTP/1.1 and nothing else. */
import { type IncomingMessage, type RequestListener, Server, type ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer } from "effect"
import { PipelinedRequests } from "./PipelinedRequests.ts"

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

/** Once the server closes, cuts those of its open requests whose bodies hang: they would use up all grace. */
const cutHungBodies = (server: Server, open: ReadonlySet<IncomingMessage>): void => {
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

/** What looks at each request before the server's listeners do. */
export interface RequestFront {
  /** Whether it answers the request itself. */
  take: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Hands a request that it has taken to the listeners after all. */
  pass: (request: IncomingMessage, response: ServerResponse) => void
}

/** The front of the server that listens; until something is put there it takes nothing. */
export class ServerFront extends Context.Service<ServerFront, RequestFront>()("@cairn/server/ServerFront") {}

const emptyFront = (): RequestFront => ({ take: () => false, pass: () => {} })

/** A server whose requests and responses are known until they end. */
class FrontedServer extends Server {
  readonly #front: RequestFront
  /** Requests whose bodies have not come yet. */
  readonly open = new Set<IncomingMessage>()
  readonly #pipelined = new PipelinedRequests()

  constructor(front: RequestFront) {
    super(TIMEOUTS)
    this.#front = front
    front.pass = (request, response) => super.emit("request", request, response)
  }

  // biome-ignore lint/suspicious/noExplicitAny: what events carry
  override emit(event: string, ...values: Array<any>): boolean {
    if (event !== "request" && event !== "checkContinue") return super.emit(event, ...values)
    const [request, response] = values as [IncomingMessage, ServerResponse]
    if (!request.complete) this.open.add(request)
    // Node gives a response its connection when those before it are sent.
    if (response.socket === null) this.#pipelined.began(request.socket)
    response.on("close", this.#closed)
    return (event === "request" && this.#front.take(request, response)) || super.emit(event, ...values)
  }

  /** Called on the response, for all of them, so that no request needs a function of its own. */
  readonly #closed = ((server: FrontedServer) =>
    function (this: ServerResponse) {
      server.open.delete(this.req)
      server.#pipelined.answered(this.req.socket)
      // Node closes the connections that are idle when it stops listening; those that become idle once their
      // answer is sent are closed here, or each client that keeps its connection would use up the grace.
      if (!server.listening) server.closeIdleConnections()
    })(this)
}

/** Makes the server; it does not listen yet. */
export const makeNodeServer = (front = emptyFront()): Server => {
  const server = new FrontedServer(front)
  // The platform listens for upgrades, and then Node does not parse the body of a request that offers one.
  // Java's client offers h2c with its first request on every connection. Without a listener such a request is
  // one like any other (RFC 9110 section 7.8).
  server.on("newListener", (event) => {
    if (event === "upgrade") process.nextTick(() => server.removeAllListeners("upgrade"))
  })
  cutHungBodies(server, server.open)
  keepEarlyRequests(server)
  return server
}

/** Listens, with a front to be taken. */
export const layer = (options: NodeHttpServer.Options) =>
  Layer.unwrap(
    Effect.sync(() => {
      const front = emptyFront()
      return Layer.merge(
        NodeHttpServer.layer(() => makeNodeServer(front), options),
        Layer.succeed(ServerFront, front)
      )
    })
  )
