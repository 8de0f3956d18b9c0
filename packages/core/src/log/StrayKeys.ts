/**
 * Port: idempotency keys whose events are nowhere. A retry with such a key is told of an event that nobody
 * has.
 */
import { Context, type Effect } from "effect"
import type * as Micros from "../encoding/Micros.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** A key that no event stands behind. */
interface StrayKey {
  readonly key: string
  /** The event that whoever retries is told of. */
  readonly eventId: string
  /** When it was accepted. */
  readonly acceptedAt: Micros.Micros
}

/** What was found among some keys. */
export interface StrayKeyPage {
  readonly stray: ReadonlyArray<StrayKey>
  /** The last key that was looked at; null when there are no more. */
  readonly next: string | null
}

/** Keys that one look takes in. */
export const STRAY_KEYS_A_LOOK = 2_000

/**
 * Contract:
 *
 * - `find` looks at the keys of a workspace after `after`, in the order of their bytes, and answers those
 *   whose event is neither in the log, with or without content, nor waiting nor parked. What is on its way
 *   from one to the other is not stray.
 * - It changes nothing. Costs a look into the log for each key.
 */
export class StrayKeys extends Context.Service<
  StrayKeys,
  {
    readonly find: (
      workspaceId: string,
      after: string | null
    ) => Effect.Effect<StrayKeyPage, StorageUnavailable>
  }
>()("@cairn/core/StrayKeys") {}
