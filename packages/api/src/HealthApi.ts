/** What a supervisor asks. No key, no rate limit, no line in the log. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { UNAVAILABLE } from "./ErrorBody.ts"

const healthz = HttpApiEndpoint.get("healthz", "/healthz", {
  success: Schema.Struct({ status: Schema.Literal("ok") }).annotate({ description: "The process is alive" })
}).annotateMerge(OpenApi.annotations({ summary: "Whether the process is alive" }))

const readyz = HttpApiEndpoint.get("readyz", "/readyz", {
  success: Schema.Struct({ status: Schema.Literal("ready") }).annotate({
    description: "The server takes requests"
  }),
  error: UNAVAILABLE
}).annotateMerge(
  OpenApi.annotations({
    summary: "Whether the server takes requests",
    description:
      "`503` when the store does not answer, the clock cannot be trusted, the inbox is full, or the server is shutting down."
  })
)

/** Health checks. */
export class HealthApi extends HttpApiGroup.make("health")
  .add(healthz, readyz)
  .annotateMerge(
    OpenApi.annotations({ title: "Health", description: "For supervisors and load balancers" })
  ) {}
