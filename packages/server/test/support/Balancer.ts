/** A balancer in front of servers that come and go. */
import { Agent, createServer, type Server as HttpServer, type IncomingMessage, request } from "node:http"

/** Milliseconds between two looks at a server. */
const LOOK_MILLIS = 100

/** A server behind the balancer. */
export interface Backend {
  readonly port: number
  isReady: boolean
}

/** Passes requests on to the servers that say they are ready, in turn, and never tries one twice. */
export class Balancer {
  readonly backends = new Set<Backend>()
  readonly agent = new Agent({ keepAlive: true })
  readonly server: HttpServer
  readonly timer: NodeJS.Timeout
  private turn = 0

  constructor() {
    this.server = createServer((incoming, outgoing) => {
      const ready = [...this.backends].filter(({ isReady }) => isReady)
      const backend = ready[this.turn++ % ready.length]
      if (backend === undefined) return outgoing.writeHead(502).end()
      const { method, url, headers } = incoming
      const passed = request(
        {
          port: backend.port,
          method,
          path: url,
          headers: { ...headers, connection: "keep-alive" },
          agent: this.agent
        },
        (answer: IncomingMessage) => {
          const { connection: _connection, ...rest } = answer.headers
          outgoing.writeHead(answer.statusCode ?? 502, rest)
          answer.pipe(outgoing)
        }
      )
      passed.on("error", () => outgoing.writeHead(502).end())
      return incoming.pipe(passed)
    })
    this.timer = setInterval(() => this.look(), LOOK_MILLIS)
  }

  private look(): void {
    for (const backend of this.backends) {
      request({ port: backend.port, path: "/readyz?for=write", agent: false }, (answer) => {
        answer.resume()
        backend.isReady = answer.statusCode === 200
      })
        .on("error", () => {
          backend.isReady = false
        })
        .end()
    }
  }

  close(): void {
    clearInterval(this.timer)
    this.agent.destroy()
    this.server.closeAllConnections()
    this.server.close()
  }
}
