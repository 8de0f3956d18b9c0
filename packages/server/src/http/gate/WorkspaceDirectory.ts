/**
 * Workspaces as requests need them: remembered for a second, so that a change anywhere holds everywhere
 * within one.
 */

import { BoundedMap, type Network, parseNetwork } from "@cairn/core/encoding"
import type { StorageUnavailable } from "@cairn/core/log"
import { limitsOf, type ManagedWorkspace, ManagedWorkspaces, type PlanLimits } from "@cairn/core/workspace"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { singleFlight } from "../plumbing/SingleFlight.ts"

/** A workspace with its settings read. */
export interface WorkspaceProfile {
  readonly workspace: ManagedWorkspace
  readonly limits: PlanLimits
  readonly allowlist: ReadonlyArray<Network>
}

const FRESH_NANOS = 1_000_000_000n
/** Profiles kept at most; beyond that the one that was read longest ago goes. */
const MAX_KNOWN = 10_000

interface Known {
  readonly profile: WorkspaceProfile
  /** On the monotonic clock: one that is set back must not keep it fresh. */
  readonly until: bigint
}

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
      const workspaces = yield* ManagedWorkspaces
      const once = singleFlight<WorkspaceProfile | undefined, StorageUnavailable>(yield* Effect.scope)
      const known = new BoundedMap<string, Known>(MAX_KNOWN)

      const read = Effect.fnUntraced(function* (id: string) {
        const now = yield* Clock.monotonicTimeNanos
        const workspace = Option.getOrUndefined(yield* workspaces.get(id))
        known.delete(id)
        if (workspace === undefined) return undefined
        const profile = {
          workspace,
          limits: limitsOf(workspace.plan, workspace.overrides),
          allowlist: workspace.ip_allowlist.map(parseNetwork).filter((network) => network !== undefined)
        }
        known.set(id, { profile, until: now + FRESH_NANOS })
        return profile
      })

      return WorkspaceDirectory.of({
        find: (id) =>
          Clock.clockWith((clock) => {
            const entry = known.get(id)
            return entry !== undefined && clock.monotonicTimeNanosUnsafe() < entry.until
              ? Effect.succeed(entry.profile)
              : once(id, read(id))
          }),
        forget: (id) => known.delete(id)
      })
    })
  )
}
