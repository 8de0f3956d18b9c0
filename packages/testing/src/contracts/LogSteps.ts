import { EventLog, type Head } from "@cairn/core/log"
import { Effect } from "effect"

/** The head of a log. */
export const headOf = (workspaceId: string) => Effect.flatMap(EventLog, (log) => log.head(workspaceId))

/** The head of an empty log. */
export const nothing: Head = { sequence: 0, eventHash: null, eventId: null, createdAt: 0, legacy: null }

/**
 * An adapter may run these one after the other or let the later ones find nothing to do; it must not fork the
 * chain.
 */
export const concurrently = { concurrency: "unbounded" } as const

/** Does something after a few turns of the scheduler, so that fibers interleave. */
export const turns = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.andThen(Effect.replicateEffect(Effect.yieldNow, count), effect)
