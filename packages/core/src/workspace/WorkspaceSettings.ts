/** A workspace as its admins and its operator see it. Times are UTC with six fractional digits. */
import { Schema } from "effect"
import { AnchorSchedule } from "../anchor/AnchorPeriod.ts"
import { UnknownFields } from "./ManagedWorkspace.ts"
import { PlanLimits, PlanName, PlanOverrides } from "./Plan.ts"

const shortening = { retention_days: Schema.Int, takes_effect_at: Schema.String }

/** A shorter retention that does not count yet. */
export const PendingRetentionView = Schema.Struct({
  ...shortening,
  followed_by: Schema.optionalKey(
    Schema.Struct(shortening).annotate({
      description:
        "A further shortening that is pending, later: the plan's figure and the workspace's own may shrink at two moments"
    })
  )
}).annotate({ identifier: "PendingRetention" })
export type PendingRetentionView = typeof PendingRetentionView.Type

/** A workspace's settings. */
export const WorkspaceSettings = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  plan: PlanName.annotate({ description: "The operator's to change, as is what follows from it" }),
  limits: PlanLimits.annotate({ description: "What the plan and the overrides together allow" }),
  overrides: PlanOverrides,
  retention_days: Schema.NullOr(Schema.Int).annotate({
    description:
      "How long the workspace wants contents kept, at most its plan's figure; null leaves it to the plan"
  }),
  effective_retention_days: Schema.NullOr(Schema.Int).annotate({
    description: "How long they are kept at this moment; null is for ever"
  }),
  pending_retention: Schema.NullOr(PendingRetentionView).annotate({
    description:
      "A shorter retention that was announced and does not count yet, the next one; null when there is none"
  }),
  ip_allowlist: Schema.Array(Schema.String),
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
  created_at: Schema.String
}).annotate({ identifier: "Workspace" })
export type WorkspaceSettings = typeof WorkspaceSettings.Type
