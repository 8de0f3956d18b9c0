/** Reading how much of its plan a workspace has used this month. */
import { Context, Effect, Layer, Option } from "effect"
import { monthEnd, monthOf, monthStart } from "../encoding/CalendarMonth.ts"
import * as Micros from "../encoding/Micros.ts"
import { Exports } from "../export/Exports.ts"
import { EventUsage } from "../log/Inbox.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import { limitsOf } from "../workspace/Plan.ts"
import type { Usage } from "../workspace/Usage.ts"

/** The use case *read usage*. */
export class UsageReader extends Context.Service<
  UsageReader,
  {
    /**
     * For this month; none if there is no such workspace. A plan that was changed counts from now on,
     * including what was used earlier this month.
     */
    readonly read: (workspaceId: string) => Effect.Effect<Option.Option<Usage>, StorageUnavailable>
  }
>()("@cairn/core/UsageReader") {
  static readonly layer = Layer.effect(
    UsageReader,
    Effect.gen(function* () {
      const workspaces = yield* ManagedWorkspaces
      const events = yield* EventUsage
      const exports = yield* Exports

      const read = Effect.fn("UsageReader.read")(function* (workspaceId: string) {
        const workspace = yield* workspaces.get(workspaceId)
        if (Option.isNone(workspace)) return Option.none<Usage>()
        const { plan, overrides } = workspace.value
        const limits = limitsOf(plan, overrides)
        const month = monthOf(yield* Micros.now)
        return Option.some<Usage>({
          period_start: Micros.format(monthStart(month)),
          period_end: Micros.format(monthEnd(month)),
          events: { used: yield* events.accepted(workspaceId, month), limit: limits.events_per_month },
          exports: {
            used: yield* exports.createdSince(workspaceId, monthStart(month)),
            limit: limits.exports_per_month
          }
        })
      })
      return UsageReader.of({ read })
    })
  )
}
