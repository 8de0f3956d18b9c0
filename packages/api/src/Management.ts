/** The bodies of the management endpoints. Times are UTC with six fractional digits. */
import { MAX_ANCHOR_PERIOD, MIN_ANCHOR_PERIOD } from "@cairn/core/anchor"
import { LEAST_LIMIT, MAX_RETENTION_DAYS, restriction, Scope, UnknownFields } from "@cairn/core/workspace"
import { Schema } from "effect"

const seconds = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }, { expected: `${minimum} to ${maximum} seconds` }))

/** When a workspace's anchoring periods end. */
const AnchorScheduleInput = Schema.Struct({
  every_seconds: seconds(MIN_ANCHOR_PERIOD, MAX_ANCHOR_PERIOD).annotate({
    description: "From one end to the next"
  }),
  offset_seconds: seconds(0, MAX_ANCHOR_PERIOD - 1).annotate({
    description:
      "From a multiple of that length, counted from the Unix epoch, to an end; less than every_seconds"
  })
}).annotate({ identifier: "AnchorScheduleInput" })

/** What to change of a workspace; omitted fields stay. */
export const WorkspacePatch = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  retention_days: Schema.optionalKey(
    Schema.NullOr(
      Schema.Int.check(
        Schema.isBetween(
          { minimum: LEAST_LIMIT, maximum: MAX_RETENTION_DAYS },
          { expected: `${LEAST_LIMIT} to ${MAX_RETENTION_DAYS} days` }
        )
      )
    ).annotate({
      description: "At most the plan's figure, `limits.retention_days`; null leaves it to the plan"
    })
  ),
  ip_allowlist: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description:
        "Addresses and CIDRs that keys may be used from. One that has members is not emptied: `0.0.0.0/0` and `::/0` let everyone in"
    })
  ),
  viewer_frame_ancestors: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String))),
  anchor_schedule: Schema.optionalKey(Schema.NullOr(AnchorScheduleInput)),
  unknown_fields: Schema.optionalKey(
    UnknownFields.annotate({
      description: "What becomes of an event with an unknown member: `reject`, the default, or `warn`"
    })
  )
}).annotate({ identifier: "WorkspacePatch" })
export type WorkspacePatch = typeof WorkspacePatch.Type

/** How to replace the key that signs viewer tokens. */
export const ViewerKeyRotation = Schema.Struct({
  revoke: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "Whether the tokens of the older keys end at once; otherwise they live as long as they would have"
    })
  )
}).annotate({ identifier: "ViewerKeyRotation" })
export type ViewerKeyRotation = typeof ViewerKeyRotation.Type

/** The key that signs viewer tokens from now on. */
export const RotatedViewerKey = Schema.Struct({
  id: Schema.String.annotate({ description: "`vky_` and a UUID: the `kid` of new tokens" })
}).annotate({ identifier: "RotatedViewerKey" })
export type RotatedViewerKey = typeof RotatedViewerKey.Type

const keyFields = {
  id: Schema.String,
  /** The key's first characters, to recognise it by. */
  prefix: Schema.String,
  name: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Scope),
  created_at: Schema.String,
  last_used_at: Schema.NullOr(Schema.String),
  expires_at: Schema.NullOr(Schema.String),
  revoked_at: Schema.NullOr(Schema.String)
}

/** A key, without its secret. */
export const ApiKeyView = Schema.Struct(keyFields).annotate({ identifier: "ApiKey" })
export type ApiKeyView = typeof ApiKeyView.Type

/** A key as it is shown once, at its creation. */
export const CreatedApiKey = Schema.Struct({ ...keyFields, key: Schema.String }).annotate({
  identifier: "CreatedApiKey"
})
export type CreatedApiKey = typeof CreatedApiKey.Type

/** What a new key should be; without scopes it has all but `admin`. */
export const ApiKeyInput = Schema.Struct({
  name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  scopes: Schema.optionalKey(Schema.Array(Scope)),
  expires_at: restriction("ISO 8601, in the future; a key that never ends where it is left out")
}).annotate({ identifier: "ApiKeyInput" })
export type ApiKeyInput = typeof ApiKeyInput.Type
