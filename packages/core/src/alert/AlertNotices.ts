/** Port: the messages about an alert, for everybody who is to be notified. */
import { Context, type Effect } from "effect"
import type { Alert } from "../consumer/Alert.ts"
import type { NewDelivery } from "../consumer/Delivery.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"

/**
 * Contract: the same alert always has the same messages with the same ids, so that a replay notifies nobody
 * again.
 */
export class AlertNotices extends Context.Service<
  AlertNotices,
  {
    /**
     * Reads who is to be notified in a workspace. The returned function makes the messages of one alert
     * without reading anything.
     */
    readonly of: (
      workspaceId: string
    ) => Effect.Effect<(alert: Alert) => ReadonlyArray<NewDelivery>, StorageUnavailable>
  }
>()("@cairn/core/AlertNotices") {}
