/** A workspace as its admins and its operator see it. Times are UTC with six fractional digits. */
import { Schema } from "effect"
import { AnchorSchedule } from "../anchor/AnchorPeriod.ts"
import * as Field from "../encoding/FieldSchemas.ts"
import { UnknownFields } from "./ManagedWorkspace.ts"
import { LEAST_LIMIT, PlanLimits, PlanName, PlanOverrides } from "./Plan.ts"
import { ViewerSettings } from "./ViewerSettings.ts"

const shortening = {
  retention_days: Schema.Int.annotate({
    description: "Days that contents are kept then",
    minimum: LEAST_LIMIT
  }),
  takes_effect_at: Field.timestamp("From when on this counts")
}

/** A shorter retention that does not count yet. */
const PendingRetentionView = Schema.Struct({
  ...shortening,
  followed_by: Schema.optionalKey(
    Schema.Struct(shortening).annotate({
      description:
        "A further shortening that is pending, later: the plan's figure and the workspace's own may shrink at two moments"
    })
  )
}).annotate({ identifier: "PendingRetention", description: "A shorter retention that does not count yet" })
export type PendingRetentionView = typeof PendingRetentionView.Type

/** A workspace's settings. */
export const WorkspaceSettings = Schema.Struct({
  id: Field.text("The workspace's id, such as `wsp_` and a UUID"),
  name: Field.text("The workspace's name"),
  log_origin: Field.text(
    "The log's origin: the first line of its checkpoints, by which witnesses know it, such as `audit.example.com/wsp_…`"
  ),
  plan: PlanName.annotate({ description: "The operator's to change, as is what follows from it" }),
  limits: PlanLimits,
  overrides: PlanOverrides,
  retention_days: Schema.NullOr(Schema.Int.annotate({ minimum: LEAST_LIMIT })).annotate({
    description:
      "How long the workspace wants contents kept, at most its plan's figure; null leaves it to the plan"
  }),
  effective_retention_days: Schema.NullOr(Schema.Int.annotate({ minimum: LEAST_LIMIT })).annotate({
    description: "How long they are kept at this moment; null is for ever"
  }),
  pending_retention: Schema.NullOr(PendingRetentionView).annotate({
    description:
      "A shorter retention that was announced and does not count yet, the next one; null when there is none"
  }),
  ip_allowlist: Schema.Array(Schema.String).annotate({
    description: "Addresses and CIDRs that keys may be used from; empty for any"
  }),
  viewer_frame_ancestors: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description:
      "Those whose pages may embed the viewer, as in CSP's `frame-ancestors`, and read the answers to its tokens (CORS); null leaves " +
      "it to the service"
  }),
  anchor_schedule: Schema.NullOr(AnchorSchedule).annotate({
    description: "When the periods of its anchors end; null leaves it to the service"
  }),
  unknown_fields: UnknownFields.annotate({
    description:
      "What becomes of an event with a member that the service does not know: `reject` (422), or `warn`: it is recorded without the member, and the answer says so in `warnings`"
  }),
  key_access_events: Schema.Boolean.annotate({
    description:
      "Whether what API keys read is recorded in the log, as what people and viewers read always is (`cairn.access.*`)"
  }),
  viewer: Schema.NullOr(ViewerSettings).annotate({
    description: "How its viewer tells events; null leaves it to the viewer"
  }),
  created_at: Field.timestamp("When it was made")
}).annotate({ identifier: "Workspace", description: "A workspace's settings, and what its plan allows" })
export type WorkspaceSettings = typeof WorkspaceSettings.Type
