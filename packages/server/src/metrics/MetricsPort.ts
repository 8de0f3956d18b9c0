/** The port of the metrics: anybody who reaches it can read them, without a token. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Effect } from "effect"
import { CannotListen, listenReason } from "../layers/CannotListen.ts"
import { METRICS_PATH, METRICS_TYPE, metricsText } from "./MetricsPage.ts"
import type { MetricsReader } from "./MetricsReader.ts"

/** What a connection may take, and how many there may be: scrapers are few. Milliseconds. */
const LIMITS = { requestTimeout: 10_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 }
const MOST_CONNECTIONS = 100

/** Where it listens. */
export interface MetricsAddress {
  readonly host: string
  readonly port: number
}

const say = (response: ServerResponse, status: number, text: string, headers = {}): unknown =>
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", ...headers }).end(text)

const answerWith =
  (read: () => Promise<string>) =>
  (request: IncomingMessage, response: ServerResponse): unknown => {
    const { method, url = "" } = request
    request.resume()
    if (url.split("?", 1)[0] !== METRICS_PATH) return say(response, 404, `See ${METRICS_PATH}\n`)
    if (method !== "GET" && method !== "HEAD")
      return say(response, 405, `${METRICS_PATH} answers GET\n`, { allow: "GET, HEAD" })
    return read().then(
      (text) =>
        response
          .writeHead(200, { "content-type": METRICS_TYPE, "content-length": Buffer.byteLength(text) })
          .end(method === "HEAD" ? undefined : text),
      () => say(response, 503, "The metrics could not be read\n")
    )
  }

const listen = (server: Server, { host, port }: MetricsAddress) =>
  Effect.callback<number, CannotListen>((resume) => {
    const refused = (cause: unknown) =>
      resume(
        Effect.fail(
          new CannotListen({
            host,
            port,
            reason: listenReason(cause),
            variables: "CAIRN_METRICS_HOST and CAIRN_METRICS_PORT"
          })
        )
      )
    server.once("error", refused)
    server.listen({ host, port }, () => {
      server.off("error", refused)
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

/** Listens for as long as the scope lasts; the port that it has. */
export const serveMetrics = Effect.fnUntraced(function* (address: MetricsAddress) {
  const run = Effect.runPromiseWith(yield* Effect.context<MetricsReader>())
  const server = createServer(
    LIMITS,
    answerWith(() => run(metricsText))
  )
  server.maxConnections = MOST_CONNECTIONS
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
  )
  return yield* listen(server, address)
})
