/** The ports of a workspace's settings in memory. */
import { AlertRules, type StoredAlertRule } from "@cairn/core/alert"
import { LogStreams, type StoredLogStream, type Webhook, Webhooks } from "@cairn/core/outbound"
import {
  addressKey,
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
  const othersOf = ({ workspace_id, id }: A) => list(workspace_id).filter((other) => other.id !== id)
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
    modify: (workspaceId, id, change, admit) =>
      Effect.suspend(() => {
        const before = find(workspaceId, id)
        if (before === undefined) return Effect.succeed(Option.none())
        const after = change(before)
        if (Result.isFailure(after)) return Effect.fail(after.failure)
        const { workspace_id, created_at } = before
        const item = { ...after.success, id, workspace_id, created_at }
        const admitted = admit?.(othersOf(before), before, item) ?? Result.void
        if (Result.isFailure(admitted)) return Effect.fail(admitted.failure)
        items.set(id, item)
        return Effect.succeed(Option.some(item))
      }),
    remove: (workspaceId, id, admit) =>
      Effect.suspend(() => {
        const before = find(workspaceId, id)
        if (before === undefined) return Effect.succeed(false)
        const admitted = admit?.(othersOf(before), before, undefined) ?? Result.void
        if (Result.isFailure(admitted)) return Effect.fail(admitted.failure)
        return Effect.succeed(items.delete(id))
      })
  }
}

const oldestFirst = (one: Member, other: Member): number =>
  one.created_at - other.created_at || (one.id < other.id ? -1 : 1)

const memoryMembers = () => {
  const members = memoryCollection<Member>()
  const firstOwner = (beside: string | null) =>
    Effect.map(members.all, (all) => {
      const owners = all.filter(({ role, workspace_id }) => role === "owner" && workspace_id !== beside)
      return Option.fromNullishOr(owners.sort(oldestFirst)[0])
    })
  return Members.of({
    ...members,
    ofAddress: (address) =>
      Effect.map(members.all, (all) =>
        all.filter(({ email }) => addressKey(email) === addressKey(address)).sort(oldestFirst)
      ),
    firstOwner,
    // Nothing comes between what `admit` sees and the creation.
    createFirstOwner: <E>(
      owner: Member,
      beside: string | null,
      admit: (existing: ReadonlyArray<Member>) => Result.Result<void, E> = () => Result.void
    ) =>
      Effect.suspend(() => {
        const isFirst = () => Option.isNone(Effect.runSync(firstOwner(beside)))
        const admitFirst = (existing: ReadonlyArray<Member>): Result.Result<void, E | "later"> =>
          isFirst() ? admit(existing) : Result.fail("later")
        return members.create(owner, admitFirst).pipe(
          Effect.as(true),
          Effect.catch((error) => (error === "later" ? Effect.succeed(false) : Effect.fail(error as E)))
        )
      })
  })
}

/** `AlertRules`, `Webhooks`, `LogStreams`, `Members` and `ViewerKeys`. */
export const layerCollections = Layer.mergeAll(
  Layer.sync(AlertRules, () => memoryCollection<StoredAlertRule>()),
  Layer.sync(Webhooks, () => memoryCollection<Webhook>()),
  Layer.sync(LogStreams, () => memoryCollection<StoredLogStream>()),
  Layer.sync(Members, memoryMembers),
  Layer.sync(ViewerKeys, () => memoryCollection<ViewerKey>())
)
