/** Verifies every log in the background: one step of each log in turn, within the configured rate. */
import type { Consumed } from "@cairn/core/consumer"
import { makeRoundIncident } from "@cairn/core/log"
import { SelfVerification } from "@cairn/core/verification"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { Cause, Effect } from "effect"
import type { VerificationSettings } from "../settings/VerificationSettings.ts"
import { storeFailed } from "./StoreIncidents.ts"

/** Milliseconds before it looks again for events that were appended. */
const LOOK_EVERY = 30_000

const nothing: Consumed = { count: 0, more: false }

/** Never ends, unless it is switched off. A failure in one log is logged, and does not delay the others. */
export const verificationLoop = Effect.fnUntraced(function* ({ everySeconds, rate }: VerificationSettings) {
  if (everySeconds === 0) return
  const { list } = yield* ManagedWorkspaces
  const { advance } = yield* SelfVerification
  const look = Math.min(LOOK_EVERY, everySeconds * 1_000)

  const incident = yield* makeRoundIncident({
    begins: "The log of a workspace could not be verified; trying again",
    over: "The logs of all workspaces are verified again"
  })

  const step = Effect.fnUntraced(function* (workspaceId: string) {
    const consumed = yield* advance(workspaceId).pipe(
      Effect.tap(incident.succeeded),
      Effect.catchCause((cause) =>
        Cause.hasInterrupts(cause)
          ? Effect.failCause(cause)
          : Effect.as(incident.failed(cause, { workspaceId }), nothing)
      )
    )
    yield* consumed.count === 0 ? Effect.yieldNow : Effect.sleep((consumed.count * 1_000) / rate)
    return consumed.more
  })

  const round = Effect.gen(function* () {
    let more = false
    for (const { id } of yield* list) more = (yield* step(id)) || more
    return more
  })

  return yield* round.pipe(
    Effect.catchTag("StorageUnavailable", (error) =>
      Effect.as(storeFailed("Logs could not be verified, which is tried again", error), false)
    ),
    Effect.flatMap((more) => (more ? Effect.yieldNow : Effect.sleep(look))),
    Effect.forever
  )
})
