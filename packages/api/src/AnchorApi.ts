/** The endpoints for anchors. */
import { Anchor, AnchorDetail, AnchorVerification } from "@cairn/core/anchor"
import { FieldSchemas as Field } from "@cairn/core/encoding"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { INVALID_PARAMETER, NOT_FOUND } from "./ErrorBody.ts"
import { describeLimit, limitParameter, PAGE_BOUNDS } from "./Parameters.ts"

const anchorId = { id: Field.text("The anchor's id, `anc_…`") }

/** A period that was closed on demand. */
export const ClosedPeriodView = Schema.Struct({
  id: Field.prefixedId("anc", "The id of the anchor that it becomes: `anc_` and a UUID"),
  merkle_root: Field.sha256("Merkle root of the period's events"),
  events_count: Schema.Int.annotate({ description: "Events of the period", minimum: 1 }),
  period_start: Field.timestamp("The period begins here"),
  period_end: Field.timestamp("The period ends before this"),
  status: Schema.Literal("pending").annotate({ description: "It waits to be sent to the chain" })
}).annotate({ identifier: "ClosedPeriod", description: "A period that was closed on demand" })
export type ClosedPeriodView = typeof ClosedPeriodView.Type

const listAnchors = HttpApiEndpoint.get("listAnchors", "/api/v1/anchors", {
  query: { limit: limitParameter },
  success: Schema.Struct({
    data: Schema.Array(Anchor).annotate({ description: "Newest first" }),
    has_more: Schema.Boolean.annotate({ description: "Whether the log has older anchors than these" })
  }).annotate({ description: "The newest anchors" }),
  error: INVALID_PARAMETER
}).annotateMerge(
  OpenApi.annotations({
    summary: "List anchors, newest first",
    description:
      "The newest `limit` anchors by creation time; `has_more` says whether these are all. There are no pages: an evidence bundle has every anchor.",
    transform: describeLimit(PAGE_BOUNDS)
  })
)

const closePeriod = HttpApiEndpoint.post("closePeriod", "/api/v1/anchors", {
  success: Schema.Struct({
    data: Schema.NullOr(ClosedPeriodView).annotate({ description: "The period; null if it has no event" })
  })
    .annotate({ description: "The period that was closed; null when no event has come since the last one" })
    .pipe(HttpApiSchema.status(202))
}).annotateMerge(
  OpenApi.annotations({
    summary: "Close the open period now",
    description:
      "Its Merkle root is fixed at once. It becomes an anchor when the one before it is confirmed, and is sent to the chain then."
  })
)

const getAnchor = HttpApiEndpoint.get("getAnchor", "/api/v1/anchors/:id", {
  params: anchorId,
  success: Schema.Struct({ data: AnchorDetail }).annotate({ description: "The anchor" }),
  error: NOT_FOUND
}).annotateMerge(OpenApi.annotations({ summary: "Get one anchor" }))

const verifyAnchor = HttpApiEndpoint.get("verifyAnchor", "/api/v1/anchors/:id/verify", {
  params: anchorId,
  success: Schema.Struct({ data: AnchorVerification }).annotate({
    description: "What the verification found"
  }),
  error: NOT_FOUND
}).annotateMerge(
  OpenApi.annotations({
    summary: "Verify an anchor",
    description:
      "Recomputes the Merkle root from the stored events, checks the link to the anchor before it, and reads the transaction back from the " +
      "chain where one is configured."
  })
)

/** Anchors on a blockchain. */
export class AnchorApi extends HttpApiGroup.make("anchors")
  .add(listAnchors, closePeriod, getAnchor, verifyAnchor)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Anchors", description: "Merkle roots on a public chain" })) {}
