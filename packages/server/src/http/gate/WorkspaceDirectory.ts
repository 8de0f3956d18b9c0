/**
 * Workspaces as requests need them: remembered for a second, so that a change anywhere holds everywhere
 * within one. After that second one statement asks which of those that requests have named have changed;
 * only these are read again.
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
  /** As it was before the profile was read: a change in between shows at the next look. */
  readonly version: number | undefined
  /** On the monotonic clock: one that is set back must not keep it fresh. */
  readonly until: bigint
}

const profileOf = (workspace: ManagedWorkspace): WorkspaceProfile => ({
  workspace,
  limits: limitsOf(workspace.plan, workspace.overrides),
  allowlist: workspace.ip_allowlist.map(parseNetwork).filter((network) => network !== undefined)
})

/** The directory. */
export class WorkspaceDirectory extends Context.Service<
  WorkspaceDirectory,
  {
    readonly find: (id: string) => Effect.Effect<WorkspaceProfile | undefined, StorageUnavailable>
    /** The workspace if it was read within the last second, so that nothing needs to be read. */
    readonly recall: (id: string) => WorkspaceProfile | undefined
    /** Forgets a workspace at once, in this process. */
    readonly forget: (id: string) => void
  }
>()("@cairn/server/WorkspaceDirectory") {
  static readonly layer = Layer.effect(
    WorkspaceDirectory,
    Effect.gen(function* () {
      const workspaces = yield* ManagedWorkspaces
      const own = yield* Clock.Clock
      const scope = yield* Effect.scope
      const reading = singleFlight<WorkspaceProfile | undefined, StorageUnavailable>(scope)
      const looking = singleFlight<void, StorageUnavailable>(scope)
      const known = new BoundedMap<string, Known>(MAX_KNOWN)
      /** Those of them that requests have named since the last look. */
      const named = new Set<string>()
      /** Rises when one is forgotten: what was being read then may be from before. */
      const state = { forgotten: 0 }

      const read = Effect.fnUntraced(function* (id: string) {
        const now = yield* Clock.monotonicTimeNanos
        const { forgotten } = state
        const version = (yield* workspaces.versions([id])).get(id)
        const workspace = Option.getOrUndefined(yield* workspaces.get(id))
        known.delete(id)
        if (workspace === undefined) return undefined
        const profile = profileOf(workspace)
        if (forgotten === state.forgotten) known.set(id, { profile, version, until: now + FRESH_NANOS })
        return profile
      })

      /** Keeps those that are as they were for another second. */
      const look = Effect.gen(function* () {
        const now = yield* Clock.monotonicTimeNanos
        const ids = [...named]
        named.clear()
        const before = ids.map((id) => [id, known.get(id)] as const)
        const versions = yield* workspaces.versions(ids)
        for (const [id, entry] of before) {
          // It was read again or forgotten meanwhile.
          if (entry === undefined || known.get(id) !== entry) continue
          if (entry.version !== undefined && versions.get(id) === entry.version)
            known.set(id, { ...entry, until: now + FRESH_NANOS })
          else known.delete(id)
        }
      })

      const fresh = (id: string, clock: Clock.Clock): WorkspaceProfile | undefined => {
        const entry = known.get(id)
        return entry !== undefined && clock.monotonicTimeNanosUnsafe() < entry.until
          ? entry.profile
          : undefined
      }

      /** One that a request has named. */
      const recall = (id: string, clock: Clock.Clock): WorkspaceProfile | undefined => {
        if (known.get(id) !== undefined) named.add(id)
        return fresh(id, clock)
      }

      const find = (id: string) =>
        Clock.clockWith((clock) => {
          if (known.get(id) === undefined) return reading(id, read(id))
          const profile = recall(id, clock)
          if (profile !== undefined) return Effect.succeed(profile)
          return Effect.flatMap(looking("", look), () => {
            const kept = fresh(id, clock)
            return kept === undefined ? reading(id, read(id)) : Effect.succeed(kept)
          })
        })

      return WorkspaceDirectory.of({
        find,
        recall: (id) => recall(id, own),
        forget: (id) => {
          known.delete(id)
          state.forgotten++
        }
      })
    })
  )
}
