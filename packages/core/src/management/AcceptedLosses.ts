/** Records losses that the operator accepted in each log that lost something. */

import { Effect, Option } from "effect"
import { keepLostSigned } from "../checkpoint/SignedLoss.ts"
import * as Micros from "../encoding/Micros.ts"
import { Continuity } from "../log/Continuity.ts"
import { ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import { COMMAND_LINE, ManagementEvents, onceKey } from "./ManagementEvent.ts"

/** The action of the event. */
export const LOSS_ACCEPTED = "cairn.log.loss_accepted"

/**
 * Writes the events of accepted losses that have none: the process that accepted them may have been stopped
 * before it had written them. Any number of processes may do it at the same time, and each log gets one event
 * of an acceptance.
 */
export const recordAcceptedLosses = Effect.gen(function* () {
  const continuity = yield* Effect.serviceOption(Continuity)
  if (Option.isNone(continuity)) return
  const { record } = yield* ManagementEvents
  for (const { acceptance, losses } of yield* continuity.value.unrecorded) {
    for (const { id, name } of yield* (yield* ManagedWorkspaces).list) {
      const own = losses.filter(({ workspace_id }) => workspace_id === null || workspace_id === id)
      if (own.length === 0) continue
      const signed = yield* keepLostSigned(id)
      yield* record(COMMAND_LINE, {
        workspaceId: id,
        action: LOSS_ACCEPTED,
        resource: { type: "workspace", id, name },
        metadata: {
          losses: own.map(({ seen, found }) => ({ seen, found })),
          signed_size: signed?.lost === true ? signed.size : null
        },
        idempotencyKey: onceKey(LOSS_ACCEPTED, String(acceptance))
      })
    }
    yield* continuity.value.recorded(acceptance, yield* Micros.now)
  }
})
