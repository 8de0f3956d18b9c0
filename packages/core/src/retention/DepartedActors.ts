/** Actors without any event left in the log after a removal. */
import { Effect } from "effect"
import { parseContent } from "../event/EventContent.ts"
import type { EventLogShape } from "../log/EventLog.ts"
import type { RemovedEvent } from "./ContentRemoval.ts"

/**
 * Those among the actors of removed events who have no other event. Costs one look-up in the actors' index
 * for each.
 */
export const departedActors = Effect.fnUntraced(function* (
  log: Pick<EventLogShape, "page">,
  workspaceId: string,
  events: ReadonlyArray<RemovedEvent>
) {
  const actors = new Set(events.flatMap(({ content }) => parseContent(content)?.actor.id ?? []))
  return yield* Effect.filter(actors, (actorId) =>
    Effect.map(
      log.page(workspaceId, { filter: { actorId }, before: null, limit: 1 }),
      (found) => found.length === 0
    )
  )
})
