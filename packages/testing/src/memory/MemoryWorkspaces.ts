import {
  ApiKeyNotFound,
  ApiKeys,
  type ManagedWorkspace,
  ManagedWorkspaces,
  soundOverrides,
  WorkspaceNotFound
} from "@cairn/core/workspace"
import { Effect, Layer, Option, Result } from "effect"
import { MemoryTables } from "./MemoryTables.ts"

const sound = (workspace: ManagedWorkspace): ManagedWorkspace => ({
  ...workspace,
  overrides: soundOverrides(workspace.overrides)
})

/** How often each workspace was changed. */
type Versions = Map<string, number>

const modifyWorkspace = <E>(
  workspaces: Map<string, ManagedWorkspace>,
  versions: Versions,
  id: string,
  change: (before: ManagedWorkspace) => Result.Result<Partial<ManagedWorkspace>, E>
) =>
  Effect.suspend((): Effect.Effect<ManagedWorkspace, E | WorkspaceNotFound> => {
    const before = workspaces.get(id)
    if (before === undefined) return Effect.fail(new WorkspaceNotFound({ workspaceId: id }))
    const changed = change(before)
    if (Result.isFailure(changed)) return Effect.fail(changed.failure)
    const after = sound({ ...before, ...changed.success })
    workspaces.set(id, after)
    versions.set(id, (versions.get(id) ?? 0) + 1)
    return Effect.succeed(after)
  })

/** The workspaces. */
export const layerManagedWorkspaces = Layer.effect(
  ManagedWorkspaces,
  Effect.map(MemoryTables, ({ workspaces }) => {
    const changes: Versions = new Map()
    return ManagedWorkspaces.of({
      create: (workspace, admit) =>
        Effect.suspend(() => {
          if (workspaces.has(workspace.id)) throw new Error(`there is a workspace ${workspace.id} already`)
          const namesakes = Array.from(workspaces.values()).filter(({ name }) => name === workspace.name)
          const admitted =
            admit?.(
              namesakes.map(({ id }) => id),
              Array.from(workspaces.keys()).slice(0, 2)
            ) ?? Result.void
          if (Result.isSuccess(admitted)) workspaces.set(workspace.id, sound(workspace))
          return Effect.fromResult(admitted)
        }),
      get: (id) => Effect.sync(() => Option.fromNullishOr(workspaces.get(id))),
      list: Effect.sync(() => Array.from(workspaces.values()).sort((a, b) => a.created_at - b.created_at)),
      versions: (ids) =>
        Effect.sync(
          () =>
            new Map(ids.filter((id) => workspaces.has(id)).map((id) => [id, changes.get(id) ?? 0] as const))
        ),
      update: (id, change) => modifyWorkspace(workspaces, changes, id, () => Result.succeed(change)),
      close: (id, at) =>
        modifyWorkspace(workspaces, changes, id, ({ closed_at }) =>
          Result.succeed({ closed_at: closed_at ?? at })
        ),
      modify: (id, change) => modifyWorkspace(workspaces, changes, id, change)
    })
  })
)

/** The keys. */
export const layerApiKeys = Layer.effect(
  ApiKeys,
  Effect.map(MemoryTables, ({ apiKeys }) => {
    const shortened = new Map<string, number>()
    const all = () => Array.from(apiKeys.values())
    const find = (workspaceId: string, id: string) =>
      all().find((key) => key.id === id && key.workspace_id === workspaceId)
    const list = (workspaceId: string) =>
      all()
        .filter(({ workspace_id }) => workspace_id === workspaceId)
        .sort((a, b) => b.created_at - a.created_at)
    return ApiKeys.of({
      create: (key, admit) =>
        Effect.suspend(() => {
          if (all().some(({ id, public_id }) => id === key.id || public_id === key.public_id)) {
            throw new Error(`there is a key ${key.public_id} already`)
          }
          const admitted = admit?.(list(key.workspace_id)) ?? Result.void
          if (Result.isSuccess(admitted)) apiKeys.set(key.id, key)
          return Effect.fromResult(admitted)
        }),
      findByPublicId: (publicId) =>
        Effect.sync(() => Option.fromNullishOr(all().find(({ public_id }) => public_id === publicId))),
      get: (workspaceId, id) => Effect.sync(() => Option.fromNullishOr(find(workspaceId, id))),
      list: (workspaceId) => Effect.sync(() => list(workspaceId)),
      revoke: (workspaceId, id, at) =>
        Effect.suspend(() => {
          const key = find(workspaceId, id)
          if (key === undefined) return Effect.fail(new ApiKeyNotFound({ keyId: id }))
          const revoked = { ...key, revoked_at: key.revoked_at ?? at }
          apiKeys.set(id, revoked)
          return Effect.succeed(revoked)
        }),
      shorten: (workspaceId, ids, end, at) =>
        Effect.sync(() => {
          for (const id of ids) {
            const key = find(workspaceId, id)
            if (key === undefined || (key.expires_at !== null && key.expires_at <= end)) continue
            apiKeys.set(id, { ...key, expires_at: end })
            shortened.set(id, at)
          }
        }),
      restrictedSince: (since) =>
        Effect.sync(() =>
          all()
            .filter(({ id, revoked_at }) => Math.max(revoked_at ?? -1, shortened.get(id) ?? -1) >= since)
            .map(({ id }) => id)
        ),
      rehash: (id, from, to) =>
        Effect.sync(() => {
          const key = apiKeys.get(id)
          if (key?.hash === from) apiKeys.set(id, { ...key, hash: to })
        }),
      touch: (used) =>
        Effect.sync(() => {
          for (const [id, at] of used) {
            const key = apiKeys.get(id)
            if (key !== undefined) apiKeys.set(id, { ...key, last_used_at: at })
          }
        })
    })
  })
)
