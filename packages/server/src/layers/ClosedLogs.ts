/** Keeps the service's own records out of logs that were closed. */
import { Acceptance, type AcceptOutcome } from "@cairn/core/log"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { Effect, Layer, Option } from "effect"

/** What becomes of a record of a closed log: nothing is written, as of a duplicate. */
const NOT_WRITTEN: AcceptOutcome = { id: "", duplicate: true }

/**
 * Accepting that writes nothing of the service's own to a log that was closed. Clients are refused before
 * that. Costs a look-up for each event of the service's own.
 */
export const layerOpenLogsOnly = Layer.effect(
  Acceptance,
  Effect.gen(function* () {
    const acceptance = yield* Acceptance
    const { get } = yield* ManagedWorkspaces
    const isClosed = (workspaceId: string) =>
      Effect.map(get(workspaceId), (found) => Option.getOrUndefined(found)?.closed_at != null)
    return Acceptance.of({
      ...acceptance,
      own: (context, body) =>
        Effect.flatMap(isClosed(context.workspaceId), (closed) =>
          closed ? Effect.succeed(NOT_WRITTEN) : acceptance.own(context, body)
        ),
      ownBatch: (context, bodies) =>
        Effect.flatMap(isClosed(context.workspaceId), (closed) =>
          closed ? Effect.succeed(bodies.map(() => NOT_WRITTEN)) : acceptance.ownBatch(context, bodies)
        )
    })
  })
)
