/** Workspaces as requests need them: remembered for a second, so that a change anywhere holds everywhere within one. */
import { limitsOf, type PlanLimits, type StorageUnavailable, type Workspace, Workspaces } from "@cairn/core"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { type Network, parseNetwork } from "./ClientAddress.ts"

/** A workspace with its settings read. */
export interface WorkspaceProfile {
  readonly workspace: Workspace
  readonly limits: PlanLimits
  readonly allowlist: ReadonlyArray<Network>
}

const FRESH_MILLIS = 1_000

/** The directory. */
export class WorkspaceDirectory extends Context.Service<
  WorkspaceDirectory,
  {
    readonly find: (id: string) => Effect.Effect<WorkspaceProfile | undefined, StorageUnavailable>
    /** Forgets a workspace at once, in this process. */
    readonly forget: (id: string) => void
  }
>()("@cairn/server/WorkspaceDirectory") {
  static readonly layer = Layer.effect(
    WorkspaceDirectory,
    Effect.gen(function* () {
      const workspaces = yield* Workspaces
      const known = new Map<string, { readonly profile: WorkspaceProfile; readonly until: number }>()

      const read = Effect.fnUntraced(function* (id: string, now: number) {
        const workspace = Option.getOrUndefined(yield* workspaces.get(id))
        if (workspace === undefined) return undefined
        const profile = {
          workspace,
          limits: limitsOf(workspace.plan, workspace.overrides),
          allowlist: workspace.ip_allowlist.map(parseNetwork).filter((network) => network !== undefined)
        }
        known.set(id, { profile, until: now + FRESH_MILLIS })
        return profile
      })

      return WorkspaceDirectory.of({
        find: (id) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const entry = known.get(id)
            return entry !== undefined && now < entry.until ? Effect.succeed(entry.profile) : read(id, now)
          }),
        forget: (id) => known.delete(id)
      })
    })
  )
}
