/**
 * What the ports for a workspace's settings have in common: a few things a workspace, each with an id, made
 * and changed by people.
 */
import { type Effect, type Option, Result, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"

/** The workspace has as many of these as it may. */
export class CollectionFull extends Schema.TaggedError<CollectionFull>()("CollectionFull", {
  /** What there are many of, such as `webhooks`. */
  what: Schema.String,
  limit: Schema.Number
}) {
  /** What to do about it. */
  override get message(): string {
    return `a workspace has at most ${this.limit} ${this.what}; delete one to make room`
  }
}

/** Admits one more while there are fewer than `limit`. For `create`. */
export const withinLimit =
  (what: string, limit: number) =>
  (existing: ReadonlyArray<unknown>): Result.Result<void, CollectionFull> =>
    existing.length < limit ? Result.void : Result.fail(new CollectionFull({ what, limit }))

/** What every such thing has. */
export interface CollectionItem {
  readonly id: string
  readonly workspace_id: string
  /** Microseconds since the epoch. */
  readonly created_at: Micros
}

/**
 * Contract:
 *
 * - What a call returned is durable. An id names one thing for good.
 * - `list` is newest first, by `created_at` and then by id.
 * - `create` shows `admit` what the workspace has, and `modify` shows `change` what there is, while no one
 *   else creates or modifies in that workspace, so that a limit or a unique name holds whoever asks at once.
 *   Both must be free of effects; if they fail, nothing was stored.
 * - `modify` never changes `id`, `workspace_id` and `created_at`.
 */
export interface WorkspaceCollection<A extends CollectionItem> {
  readonly create: <E = never>(
    item: A,
    admit?: (existing: ReadonlyArray<A>) => Result.Result<void, E>
  ) => Effect.Effect<void, E | StorageUnavailable>
  readonly get: (workspaceId: string, id: string) => Effect.Effect<Option.Option<A>, StorageUnavailable>
  readonly list: (workspaceId: string) => Effect.Effect<ReadonlyArray<A>, StorageUnavailable>
  /** Of all workspaces, in no particular order. */
  readonly all: Effect.Effect<ReadonlyArray<A>, StorageUnavailable>
  /** The thing as it is afterwards; none when there is none. */
  readonly modify: <E = never>(
    workspaceId: string,
    id: string,
    change: (before: A) => Result.Result<A, E>
  ) => Effect.Effect<Option.Option<A>, E | StorageUnavailable>
  /** Whether there was one. */
  readonly remove: (workspaceId: string, id: string) => Effect.Effect<boolean, StorageUnavailable>
}
