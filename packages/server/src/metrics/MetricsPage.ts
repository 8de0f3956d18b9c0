/** The metrics as Prometheus reads them. */
import { createHash, timingSafeEqual } from "node:crypto"
import { Effect } from "effect"
import { readBearer } from "../http/gate/Challenge.ts"
import type { Answer } from "../http/plumbing/Answer.ts"
import { ApiError } from "../http/plumbing/ApiError.ts"
import { MetricsReader } from "./MetricsReader.ts"

/** Where they are. */
export const METRICS_PATH = "/metrics"

/** The text format of Prometheus. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

/** Loaded with the first reader. */
const formatter = Effect.promise(() => import("effect/observability"))

/** The text of all metrics. */
export const metricsText = Effect.gen(function* () {
  const { refresh, metrics } = yield* MetricsReader
  const { PrometheusMetrics } = yield* formatter
  yield* refresh
  return PrometheusMetrics.formatUnsafe(metrics)
})

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Whether a request has the token; how long that takes says nothing of how much of it is right. */
const holdsToken = (token: string) => {
  const expected = digest(token)
  return (authorization: string | undefined): boolean => {
    const given = authorization === undefined ? undefined : readBearer(authorization)
    return given !== undefined && timingSafeEqual(digest(given), expected)
  }
}

/** What answers a request for the page, by its `Authorization`. */
export type MetricsPage = (authorization: string | undefined) => Effect.Effect<Answer, ApiError>

/** Makes the page that is shown for a token; without one there is no page. */
export const makeMetricsPage = Effect.fnUntraced(function* (token: string) {
  const context = yield* Effect.context<MetricsReader>()
  const isHeld = holdsToken(token)
  const page: MetricsPage = (authorization) => {
    if (token === "")
      return Effect.fail(new ApiError({ code: "not_found", message: "There is nothing at this path" }))
    if (!isHeld(authorization))
      return Effect.fail(
        new ApiError({
          code: "unauthenticated",
          message: "Reading the metrics takes the token CAIRN_METRICS_TOKEN"
        })
      )
    return Effect.provide(metricsText, context).pipe(
      Effect.map((body) => ({ status: 200, body, contentType: METRICS_TYPE, compressible: true }))
    )
  }
  return page
})
