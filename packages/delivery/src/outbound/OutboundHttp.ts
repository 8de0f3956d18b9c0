/**
 * One HTTP request to an address that a customer chose: guarded, without redirects, with a time limit, and
 * reading only as much of the response as asked for.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { rootCertificates } from "node:tls"
import { OutboundRefused } from "@cairn/core/outbound"
import { Effect, Schema, type Scope } from "effect"
import { OutgoingTrace } from "../loop/DeliveryTrace.ts"
import { startTimer } from "./Elapsed.ts"
import type { OutboundGuardShape } from "./OutboundGuard.ts"

/** There was no response. */
export class OutboundFailed extends Schema.TaggedError<OutboundFailed>()("OutboundFailed", {
  reason: Schema.Literals(["timeout", "connection", "certificate"]),
  /** One sentence. */
  detail: Schema.String
}) {
  /** The detail. */
  override get message(): string {
    return this.detail
  }
}

/** The request. */
export interface OutboundRequest {
  readonly method: "POST" | "PUT"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Time limit from the name look-up to the last byte read, in milliseconds. */
  readonly timeout: number
  /** Most bytes of the response body to read; the connection is closed there. */
  readonly keep: number
}

/** The response. */
export interface OutboundAnswer {
  readonly status: number
  /** A header by its lower-case name; repeated headers are joined with commas. */
  readonly header: (name: string) => string | undefined
  /** At most `keep` bytes; fewer if the body broke off or the time was up. */
  readonly body: Uint8Array
}

/** Connections through the guard. */
export interface OutboundHttp {
  readonly send: (request: OutboundRequest) => Effect.Effect<OutboundAnswer, OutboundFailed | OutboundRefused>
}

/** What an error of a connection means. */
export const outboundFailure = (error: NodeJS.ErrnoException): OutboundFailed | OutboundRefused => {
  if (error instanceof OutboundRefused) return error
  const code = error.code ?? ""
  const certificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|CRL|ERR_TLS_CERT/.test(code)
  return new OutboundFailed({
    reason: certificate ? "certificate" : "connection",
    detail: error.message === "" ? code : error.message
  })
}

/** The body of a response while it is read. */
interface BodyReading {
  /** Ends with the body, or once there is enough of it. */
  readonly ended: Effect.Effect<void>
  /** What was read so far. */
  readonly bytes: () => Uint8Array
}

/** Reads up to `keep` bytes, then drops the rest unread. */
const read = (answer: IncomingMessage, keep: number): BodyReading => {
  const chunks: Array<Buffer> = []
  let size = 0
  return {
    ended: Effect.callback((resume) => {
      const finish = (): void => resume(Effect.void)
      answer.on("data", (chunk: Buffer) => {
        chunks.push(chunk.subarray(0, keep - size))
        size += chunk.length
        if (size < keep) return
        answer.destroy()
        finish()
      })
      answer.on("end", finish)
      answer.on("close", finish)
      answer.on("error", finish)
    }),
    bytes: () => Buffer.concat(chunks)
  }
}

/**
 * Opens a connection when it is first needed, keeps it for the next request, and closes it with the scope.
 */
export const openOutboundHttp = (
  guard: OutboundGuardShape
): Effect.Effect<OutboundHttp, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { lookup, authorities } = guard
    // Setting `ca` replaces the runtime's own authorities, so those are included.
    const trust = authorities === undefined ? {} : { ca: [...rootCertificates, ...authorities] }
    const agents = yield* Effect.acquireRelease(
      Effect.sync(() => ({
        "http:": new HttpAgent({ keepAlive: true, maxSockets: 1, lookup }),
        "https:": new HttpsAgent({ keepAlive: true, maxSockets: 1, lookup, ...trust })
      })),
      (both) =>
        Effect.sync(() => {
          for (const agent of Object.values(both)) agent.destroy()
        })
    )

    const start = (url: URL, { method, headers, body }: Omit<OutboundRequest, "url">) =>
      Effect.callback<IncomingMessage, OutboundFailed | OutboundRefused>((resume) => {
        const options = { method, headers: { ...headers, "content-length": String(Buffer.byteLength(body)) } }
        const request = (() => {
          try {
            return url.protocol === "https:"
              ? httpsRequest(url, { ...options, agent: agents["https:"] })
              : httpRequest(url, { ...options, agent: agents["http:"] })
          } catch (error) {
            // A header that cannot be sent: its name is in the message, its value is not.
            return error instanceof Error ? error : new Error("the request cannot be sent")
          }
        })()
        if (request instanceof Error) return resume(Effect.fail(outboundFailure(request)))
        request.on("socket", guard.watch)
        request.on("response", (answer) => resume(Effect.succeed(answer)))
        // The listener stays: a connection that breaks after the response began must not end the process.
        request.on("error", (error) => resume(Effect.fail(outboundFailure(error))))
        request.end(body)
        return Effect.sync(() => request.destroy())
      })

    const send = (request: OutboundRequest) =>
      Effect.gen(function* () {
        const url = yield* Effect.fromResult(guard.checkUrl(request.url))
        const elapsed = yield* startTimer
        const late = () =>
          Effect.fail(
            new OutboundFailed({ reason: "timeout", detail: `no response within ${request.timeout} ms` })
          )
        const traceparent = yield* OutgoingTrace
        // What is put somewhere is signed with its headers.
        const isTold = traceparent !== undefined && request.method === "POST"
        const headers = isTold ? { ...request.headers, traceparent } : request.headers
        const answer = yield* Effect.timeoutOrElse(start(url, { ...request, headers }), {
          duration: request.timeout,
          orElse: late
        })
        const body = read(answer, request.keep)
        const left = Math.max(0, request.timeout - (yield* elapsed))
        yield* Effect.ensuring(
          Effect.timeoutOption(body.ended, left),
          Effect.sync(() => {
            if (!answer.complete) answer.destroy()
          })
        )
        return {
          status: answer.statusCode ?? 0,
          header: (name: string) => {
            const value = answer.headers[name]
            return Array.isArray(value) ? value.join(", ") : value
          },
          body: body.bytes()
        }
      })
    return { send }
  })
