/** A proxy between an application and the service that does all that networks and services do. */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import type { SeededRandom } from "@cairn/testing"

/** What the proxy does to a request. */
export type Mischief =
  | "pass"
  | "503"
  | "429"
  | "429 later"
  | "page"
  | "reset before"
  | "reset after"
  | "half an answer"
  | "hang before"
  | "hang after"

const MISCHIEF: ReadonlyArray<Mischief> = [
  "503",
  "503",
  "429",
  "429",
  "429 later",
  "page",
  "reset before",
  "reset before",
  "reset after",
  "reset after",
  "half an answer",
  "half an answer",
  "hang before",
  "hang after"
]

/** An answer of the service, read whole. */
interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Buffer
}

/** What the proxy works with. */
export interface HostileProxyOptions {
  readonly random: SeededRandom
  /** The share of requests that suffer, 0 to 1. */
  readonly share: number
  /** Where the service listens now; `undefined` while it does not. */
  readonly target: () => string | undefined
  /** Called when a request has been passed on and not been answered yet. */
  readonly passed?: () => void
  /** Called when the service has answered and the application does not know yet. */
  readonly answered?: () => void
}

/** A proxy that listens. */
export interface HostileProxy {
  readonly url: string
  /** How often it did what. */
  readonly done: ReadonlyMap<Mischief, number>
  /** Passes everything on from now on. */
  readonly calm: () => void
  readonly close: () => Promise<void>
}

/** Milliseconds after which a request that hangs is cut, where its sender has not given up before. */
const HANG_MILLIS = 1500

const bodyOf = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const reset = ({ socket }: ServerResponse): void => void (socket as Socket | null)?.resetAndDestroy()

const answer = (response: ServerResponse, status: number, headers: object, body: string | Buffer): void => {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) })
  response.end(body)
}

/** Passes a request on; rejects where no whole answer comes. */
const pass = (
  target: string,
  { method = "GET", url = "/", headers }: IncomingMessage,
  body: Buffer,
  passed: () => void
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { connection: _, ...kept } = headers
    const outgoing = request(`${target}${url}`, { method, headers: { ...kept, connection: "close" } })
    outgoing.once("error", reject)
    outgoing.once("response", (message) => {
      const { statusCode = 0, headersDistinct } = message
      const plain = Object.entries(headersDistinct).map(([name, values]) => [name, values?.join(", ") ?? ""])
      bodyOf(message).then(
        (read) => resolve({ status: statusCode, headers: Object.fromEntries(plain), body: read }),
        reject
      )
    })
    outgoing.end(body, passed)
  })

/** Starts it. */
export const startHostileProxy = async (options: HostileProxyOptions): Promise<HostileProxy> => {
  const { random, share, target, passed = () => {}, answered = () => {} } = options
  const done = new Map<Mischief, number>()
  const open = new Set<Socket>()
  let isCalm = false

  const before: Partial<Record<Mischief, (response: ServerResponse) => Promise<void> | void>> = {
    "503": (response) => answer(response, 503, {}, '{"error":"unavailable","message":"later"}'),
    "429": (response) =>
      answer(response, 429, { "retry-after": "0" }, '{"error":"rate_limited","message":"later"}'),
    "429 later": (response) =>
      answer(response, 429, { "retry-after": "1" }, '{"error":"rate_limited","message":"later"}'),
    page: (response) => answer(response, 502, { "content-type": "text/html" }, "<h1>Bad gateway</h1>"),
    "reset before": reset,
    "hang before": async (response) => {
      await pause(HANG_MILLIS)
      reset(response)
    }
  }

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(incoming)
    const mischief: Mischief = !isCalm && random.chance(share) ? random.pick(MISCHIEF) : "pass"
    done.set(mischief, (done.get(mischief) ?? 0) + 1)
    const early = before[mischief]
    if (early !== undefined) return early(response)
    const to = target()
    if (to === undefined) return reset(response)
    const { status, headers, body: said } = await pass(to, incoming, body, passed)
    answered()
    if (mischief === "reset after") return reset(response)
    if (mischief === "hang after") {
      await pause(HANG_MILLIS)
      return reset(response)
    }
    if (mischief !== "half an answer") return answer(response, status, headers, said)
    response.writeHead(status, { ...headers, "content-length": said.length })
    response.write(said.subarray(0, said.length / 2), () => reset(response))
  }

  const server = createServer((incoming, response) => {
    // The application or the service was killed.
    handle(incoming, response).catch(() => reset(response))
  })
  server.on("connection", (socket) => {
    open.add(socket)
    socket.on("error", () => {})
    socket.once("close", () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    done,
    calm: () => {
      isCalm = true
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      })
  }
}
