/**
 * The way to a collector, which is trusted with nothing: what it answers is not read but for its status, and
 * one that hangs, redirects or fails costs a line in the log.
 */
import { Meters } from "@cairn/core/log"
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { SERVER_METRICS } from "./ServerFamilies.ts"

/** What became of one request, in words that say nothing of the address. */
const reasonOf = (cause: unknown): string => {
  if (cause instanceof Error && cause.name === "TimeoutError") return "no answer in time"
  const inner = cause instanceof Error ? cause.cause : undefined
  return inner instanceof Error && "code" in inner ? String(inner.code) : "no connection"
}

/** Sends a body, and reads no more of the answer than its status. */
const send = async (url: URL, init: RequestInit): Promise<number> => {
  const response = await fetch(url, { ...init, redirect: "manual" })
  await response.body?.cancel()
  return response.status
}

const NAMES = { metrics: "Metrics", traces: "Traces" } as const

/** A client that pushes one signal to a collector. Failures are logged once, and so is their end. */
export const layerCollectorClient = (signal: keyof typeof NAMES, timeoutMillis: number) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(Meters, (meters) => {
      const counter = (outcome: string) => meters.counter(SERVER_METRICS.pushes, { signal, outcome })
      const [sent, failed] = [counter("sent"), counter("failed")]
      let isFailing = false
      const noteFailure = (reason: string) =>
        Effect.suspend(() => {
          failed.value += 1
          if (isFailing) return Effect.void
          isFailing = true
          return Effect.logWarning(`${NAMES[signal]} cannot be pushed to the collector; trying again`).pipe(
            Effect.annotateLogs({ reason })
          )
        })
      const noteSuccess = Effect.suspend(() => {
        sent.value += 1
        if (!isFailing) return Effect.void
        isFailing = false
        return Effect.logInfo(`${NAMES[signal]} are pushed to the collector again`)
      })
      return HttpClient.make((request, url, aborted) => {
        const { body, headers, method } = request
        const init: RequestInit = {
          method,
          headers: { ...headers },
          signal: AbortSignal.any([aborted, AbortSignal.timeout(timeoutMillis)]),
          ...(body._tag === "Uint8Array" ? { body: new Uint8Array(body.body) } : {})
        }
        return Effect.tryPromise({
          try: () => send(url, init),
          catch: (cause) =>
            new HttpClientError.HttpClientError({
              reason: new HttpClientError.TransportError({ request, description: reasonOf(cause) })
            })
        }).pipe(
          Effect.tapError(({ reason }) =>
            noteFailure(("description" in reason && reason.description) || "failed")
          ),
          Effect.tap((status) =>
            status >= 200 && status < 300 ? noteSuccess : noteFailure(`answered ${status}`)
          ),
          // Without its headers: how long to wait is not the collector's to say.
          Effect.map((status) => HttpClientResponse.fromWeb(request, new Response(null, { status })))
        )
      })
    })
  )
