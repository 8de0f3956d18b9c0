/** The ports of a workspace's settings in memory. */
import { AlertRules, type StoredAlertRule } from "@cairn/core/alert"
import { LogStreams, type StoredLogStream, type Webhook, Webhooks } from "@cairn/core/outbound"
import {
  type CollectionItem,
  type Member,
  Members,
  type ViewerKey,
  ViewerKeys,
  type WorkspaceCollection
} from "@cairn/core/workspace"
import { Effect, Layer, Option, Result } from "effect"

const memoryCollection = <A extends CollectionItem>(): WorkspaceCollection<A> => {
  const items = new Map<string, A>()
  const list = (workspaceId: string): ReadonlyArray<A> =>
    Array.from(items.values())
      .filter(({ workspace_id }) => workspace_id === workspaceId)
      .sort((one, other) => other.created_at - one.created_at || (one.id < other.id ? 1 : -1))
  const find = (workspaceId: string, id: string): A | undefined => {
    const item = items.get(id)
    return item?.workspace_id === workspaceId ? item : undefined
  }
  return {
    create: (item, admit) =>
      Effect.suspend(() => {
        if (items.has(item.id)) throw new Error(`there is ${item.id} already`)
        const admitted = admit?.(list(item.workspace_id)) ?? Result.void
        if (Result.isFailure(admitted)) return Effect.fail(admitted.failure)
        items.set(item.id, item)
        return Effect.void
      }),
    get: (workspaceId, id) => Effect.sync(() => Option.fromNullishOr(find(workspaceId, id))),
    list: (workspaceId) => Effect.sync(() => list(workspaceId)),
    all: Effect.sync(() => Array.from(items.values())),
    modify: (workspaceId, id, change) =>
      Effect.suspend(() => {
        const before = find(workspaceId, id)
        if (before === undefined) return Effect.succeed(Option.none())
        const after = change(before)
        if (Result.isFailure(after)) return Effect.fail(after.failure)
        const { workspace_id, created_at } = before
        const item = { ...after.success, id, workspace_id, created_at }
        items.set(id, item)
        return Effect.succeed(Option.some(item))
      }),
    remove: (workspaceId, id) => Effect.sync(() => find(workspaceId, id) !== undefined && items.delete(id))
  }
}

/** `AlertRules`, `Webhooks`, `LogStreams`, `Members` and `ViewerKeys`. */
export const layerCollections = Layer.mergeAll(
  Layer.sync(AlertRules, () => memoryCollection<StoredAlertRule>()),
  Layer.sync(Webhooks, () => memoryCollection<Webhook>()),
  Layer.sync(LogStreams, () => memoryCollection<StoredLogStream>()),
  Layer.sync(Members, () => memoryCollection<Member>()),
  Layer.sync(ViewerKeys, () => memoryCollection<ViewerKey>())
)
