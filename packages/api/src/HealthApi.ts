/** What a supervisor asks. No key, no rate limit, no line in the log. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Access } from "./Authorization.ts"
import { INVALID_PARAMETER, UNAVAILABLE } from "./ErrorBody.ts"

const healthz = HttpApiEndpoint.get("healthz", "/healthz", {
  success: Schema.Struct({ status: Schema.Literal("ok").annotate({ description: "Always `ok`" }) }).annotate({
    description: "The process is alive"
  })
}).annotateMerge(OpenApi.annotations({ summary: "Whether the process is alive" }))

const readyz = HttpApiEndpoint.get("readyz", "/readyz", {
  query: {
    for: Schema.optionalKey(
      Schema.Literal("write").annotate({
        description:
          "`write`: `503` also while the store takes no writes, for a balancer of those that ingest"
      })
    )
  },
  success: Schema.Struct({
    status: Schema.Literal("ready").annotate({ description: "The server takes requests" }),
    writes: Schema.String.annotate({
      description:
        "`ok`, or why the store takes no writes: `disk full`, `read-only`, `damaged`, `I/O error`, `old primary`, `no standby`, `no connection`, `no answer`, `busy` or `failed`"
    }),
    clock: Schema.optionalKey(
      Schema.String.annotate({
        description: "By how much the clock is behind the newest record, beyond a minute; absent otherwise"
      })
    )
  }).annotate({ description: "The server takes requests" }),
  error: [UNAVAILABLE, INVALID_PARAMETER]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Whether the server takes requests",
    description:
      "`503` when the store does not answer, the clock cannot be trusted, the inbox is full, or the server is shutting down. While reads are " +
      "answered and writes are not it stays `200` and says so in `writes`, unless the query has `for=write`."
  })
)

/** Health checks. */
export class HealthApi extends HttpApiGroup.make("health")
  .add(healthz, readyz)
  .annotateEndpoints(Access, "anyone")
  .annotateMerge(
    OpenApi.annotations({ title: "Health", description: "For supervisors and load balancers" })
  ) {}
