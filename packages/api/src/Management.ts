/** The bodies of the management endpoints. Times are UTC with six fractional digits. */
import { MAX_ANCHOR_PERIOD, MIN_ANCHOR_PERIOD } from "@cairn/core/anchor"
import { FieldSchemas as Field, NETWORK_FORM } from "@cairn/core/encoding"
import { formedText, MAX_NAME, nameText } from "@cairn/core/event"
import {
  FRAME_ANCESTOR_FORM,
  frameAncestorFault,
  LEAST_LIMIT,
  MAX_ALLOWLIST,
  MAX_FRAME_ANCESTORS,
  MAX_RETENTION_DAYS,
  networkFault,
  restrictedTime,
  Scope,
  UnknownFields,
  ViewerSettingsInput
} from "@cairn/core/workspace"
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
}).annotate({ identifier: "AnchorScheduleInput", description: "When a workspace's periods end" })

/** What to change of a workspace; omitted fields stay. */
export const WorkspacePatch = Schema.Struct({
  name: Schema.optionalKey(
    nameText({ least: 1, most: MAX_NAME }).annotate({ description: "The workspace's name" })
  ),
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
    Schema.Array(formedText(networkFault, { pattern: NETWORK_FORM })).annotate({
      maxItems: MAX_ALLOWLIST,
      description:
        "Addresses and CIDRs that keys may be used from. One that has members is not emptied: `0.0.0.0/0` and `::/0` let everyone in"
    })
  ),
  viewer_frame_ancestors: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(formedText(frameAncestorFault, { pattern: FRAME_ANCESTOR_FORM })).annotate({
        maxItems: MAX_FRAME_ANCESTORS
      })
    ).annotate({
      description:
        "Those whose pages may embed the viewer, as in CSP's `frame-ancestors`; null leaves it to the service"
    })
  ),
  anchor_schedule: Schema.optionalKey(
    Schema.NullOr(AnchorScheduleInput).annotate({
      description: "When the periods of its anchors end; null leaves it to the service"
    })
  ),
  unknown_fields: Schema.optionalKey(
    UnknownFields.annotate({
      description: "What becomes of an event with an unknown member: `reject`, the default, or `warn`"
    })
  ),
  key_access_events: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether what API keys read is recorded in the log; not unless set"
    })
  ),
  viewer: Schema.optionalKey(
    Schema.NullOr(ViewerSettingsInput).annotate({
      description: "How its viewer tells events, replaced as a whole; null leaves it to the viewer"
    })
  )
}).annotate({
  identifier: "WorkspacePatch",
  description: "What to change of the workspace; fields that are left out stay"
})
export type WorkspacePatch = typeof WorkspacePatch.Type

/** How to replace the key that signs viewer tokens. */
export const ViewerKeyRotation = Schema.Struct({
  revoke: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "Whether the tokens of the older keys end at once; otherwise they live as long as they would have"
    })
  )
}).annotate({
  identifier: "ViewerKeyRotation",
  description: "How to replace the key that signs viewer tokens"
})
export type ViewerKeyRotation = typeof ViewerKeyRotation.Type

/** The key that signs viewer tokens from now on. */
export const RotatedViewerKey = Schema.Struct({
  id: Field.prefixedId("vky", "`vky_` and a UUID: the `kid` of new tokens")
}).annotate({ identifier: "RotatedViewerKey", description: "The key that signs viewer tokens from now on" })
export type RotatedViewerKey = typeof RotatedViewerKey.Type

const keyFields = {
  id: Field.prefixedId("key", "The key's id: `key_` and a UUID"),
  prefix: Field.text("The key's first characters, to recognise it by"),
  name: Field.nullable(Schema.String, "What it is for, in its owner's words; null for nothing"),
  scopes: Schema.Array(Scope).annotate({ description: "What it may do" }),
  created_by: Field.nullable(
    Schema.String,
    "Who made it: the id of a member, of a key, or `cairn-cli`; null where that is not known"
  ),
  created_at: Field.timestamp("When it was made"),
  last_used_at: Field.nullable(Field.timestamp(), "When it was last used; null for never"),
  expires_at: Field.nullable(Field.timestamp(), "When it ends; null for never"),
  revoked_at: Field.nullable(Field.timestamp(), "When it was revoked; null if it was not")
}

/** A key, without its secret. */
export const ApiKeyView = Schema.Struct(keyFields).annotate({
  identifier: "ApiKey",
  description: "A key, without its secret"
})
export type ApiKeyView = typeof ApiKeyView.Type

/** A key as it is shown once, at its creation. */
export const CreatedApiKey = Schema.Struct({
  ...keyFields,
  key: Field.text("The key itself, for `Authorization: Bearer …`; it is not shown again")
}).annotate({ identifier: "CreatedApiKey", description: "A key with its secret" })
export type CreatedApiKey = typeof CreatedApiKey.Type

/** What a new key should be; without scopes it has all but `admin`. */
export const ApiKeyInput = Schema.Struct({
  name: Schema.optionalKey(
    Schema.NullOr(nameText({ least: 0, most: MAX_NAME })).annotate({
      description: "What it is for, in your words"
    })
  ),
  scopes: Schema.optionalKey(
    Schema.Array(Scope)
      .check(Schema.isMinLength(1, { expected: "at least one scope" }))
      .annotate({ description: "What it may do; all but `admin` unless given", minItems: 1 })
  ),
  expires_at: restrictedTime("ISO 8601, in the future; a key that never ends where it is left out")
}).annotate({ identifier: "ApiKeyInput", description: "What a new key should be" })
export type ApiKeyInput = typeof ApiKeyInput.Type
