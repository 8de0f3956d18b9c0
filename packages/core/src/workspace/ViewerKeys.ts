/** Port: the keys that sign the viewer tokens of each workspace. */
import { Context, type Result, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import { type CollectionFull, type WorkspaceCollection, withinLimit } from "./WorkspaceCollection.ts"

/** A key as stored. */
export const ViewerKey = Schema.Struct({
  /** `vky_` and a UUID: the `kid` of its tokens. */
  id: Schema.String,
  workspace_id: Schema.String,
  /** Base64 of 32 random bytes, sealed by the `SecretBox` with the key's id as owner. */
  sealed: Schema.String,
  /** From this time on its tokens are rejected; null while it signs. */
  retired_at: Schema.NullOr(Schema.Number),
  /** Microseconds since the epoch, like the next. */
  created_at: Schema.Number,
  updated_at: Schema.Number
})
export type ViewerKey = typeof ViewerKey.Type

/** The key that signs, from a workspace's keys, newest first. */
export const signingKey = (keys: ReadonlyArray<ViewerKey>): ViewerKey | undefined =>
  keys.find(({ retired_at }) => retired_at === null)

/** Whether the tokens of a key are valid at `now`. */
export const isTrusted = ({ retired_at }: ViewerKey, now: Micros): boolean =>
  retired_at === null || now < retired_at

/** Most keys of a workspace whose tokens are valid. */
const MAX_VIEWER_KEYS = 10

const withinKeys = withinLimit(
  "viewer keys",
  MAX_VIEWER_KEYS,
  "tokens of a replaced one live for a day: wait, or replace it with revoke"
)

/** Allows one more key while fewer than {@link MAX_VIEWER_KEYS} are trusted at `now`. For `create`. */
export const withinTrustedKeys =
  (now: Micros) =>
  (existing: ReadonlyArray<ViewerKey>): Result.Result<void, CollectionFull> =>
    withinKeys(existing.filter((key) => isTrusted(key, now)))

/** The keys. */
export class ViewerKeys extends Context.Service<ViewerKeys, WorkspaceCollection<ViewerKey>>()(
  "@cairn/core/ViewerKeys"
) {}
