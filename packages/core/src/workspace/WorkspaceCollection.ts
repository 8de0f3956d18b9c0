/**
 * What the ports for a workspace's settings have in common: each workspace has a few things, each with an id,
 * which people create and change.
 */
import { type Effect, type Option, Result, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"

/** The workspace has the most of these that it may. */
export class CollectionFull extends Schema.TaggedError<CollectionFull>()("CollectionFull", {
  /** The kind of things, such as `webhooks`. */
  what: Schema.String,
  limit: Schema.Number,
  /** What makes room. */
  instead: Schema.String
}) {
  /** What to do about it. */
  override get message(): string {
    return `a workspace has at most ${this.limit} ${this.what}; ${this.instead}`
  }
}

/** Allows one more while there are fewer than `limit`. For `create`. */
export const withinLimit =
  (what: string, limit: number, instead = "delete one to make room") =>
  (existing: ReadonlyArray<unknown>): Result.Result<void, CollectionFull> =>
    existing.length < limit ? Result.void : Result.fail(new CollectionFull({ what, limit, instead }))

/** The members that every such thing has. */
export interface CollectionItem {
  readonly id: string
  readonly workspace_id: string
  /** Microseconds since the epoch. */
  readonly created_at: Micros
}

/** Allows a change or removal beside the workspace's other things; `after` is undefined for a removal. */
export type AdmitAmong<A, E> = (
  others: ReadonlyArray<A>,
  before: A,
  after: A | undefined
) => Result.Result<void, E>

/**
 * Contract:
 *
 * - When a call returns, its result is durable. An id is never used for another thing.
 * - `list` is newest first, by `created_at` and then by id.
 * - `create` passes to `admit` what the workspace has, and `modify` passes to `change` the current thing,
 *   while nobody else creates, modifies or removes in that workspace. So a limit or a unique name holds for
 *   concurrent calls. The functions must have no effects; if they fail, nothing was changed.
 * - `modify` and `remove` pass to their `admit` the workspace's other things and this one as it was, and
 *   `modify` also as it will be. So a thing can be required to remain.
 * - `modify` never changes `id`, `workspace_id` and `created_at`.
 */
export interface WorkspaceCollection<A extends CollectionItem> {
  readonly create: <E = never>(
    item: A,
    admit?: (existing: ReadonlyArray<A>) => Result.Result<void, E>
  ) => Effect.Effect<void, E | StorageUnavailable>
  readonly get: (workspaceId: string, id: string) => Effect.Effect<Option.Option<A>, StorageUnavailable>
  readonly list: (workspaceId: string) => Effect.Effect<ReadonlyArray<A>, StorageUnavailable>
  /** The things of all workspaces, in no particular order. */
  readonly all: Effect.Effect<ReadonlyArray<A>, StorageUnavailable>
  /** The changed thing; none if there is none. */
  readonly modify: <E = never>(
    workspaceId: string,
    id: string,
    change: (before: A) => Result.Result<A, E>,
    admit?: AdmitAmong<A, E>
  ) => Effect.Effect<Option.Option<A>, E | StorageUnavailable>
  /** Whether there was one. */
  readonly remove: <E = never>(
    workspaceId: string,
    id: string,
    admit?: AdmitAmong<A, E>
  ) => Effect.Effect<boolean, E | StorageUnavailable>
}
