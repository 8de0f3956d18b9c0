/** Port: the messages about a chain that is broken, for everybody who is to be notified. */
import { Context, type Effect } from "effect"
import type { NewDelivery } from "../consumer/Delivery.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import type { BrokenChain } from "./Verification.ts"

/** Contract: the same `cause` always has the same messages, by their ids. */
export class BreakNotices extends Context.Service<
  BreakNotices,
  {
    readonly of: (
      workspaceId: string,
      broken: BrokenChain,
      cause: string
    ) => Effect.Effect<ReadonlyArray<NewDelivery>, StorageUnavailable>
  }
>()("@cairn/core/BreakNotices") {}
