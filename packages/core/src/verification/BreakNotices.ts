/** Port: the messages about a broken chain, for everybody who must be notified. */
import { Context, type Effect } from "effect"
import type { NewDelivery } from "../consumer/Delivery.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import type { BrokenChain } from "./Verification.ts"

/** Contract: the same `cause` always gives the same messages with the same ids. */
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
