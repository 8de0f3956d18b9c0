/**
 * Port: idempotency keys whose events do not exist. A retry with such a key gets the id of an event that is
 * nowhere.
 */
import { Context, type Effect } from "effect"
import type * as Micros from "../encoding/Micros.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** A key without an event. */
interface StrayKey {
  /** The first 16 bytes of the key's SHA-256, in hexadecimal: keys themselves are not stored. */
  readonly keyHash: string
  /** The id that a retry would get. */
  readonly eventId: string
  /** When it was accepted. */
  readonly acceptedAt: Micros.Micros
}

/** The stray keys among some keys. */
export interface StrayKeyPage {
  readonly stray: ReadonlyArray<StrayKey>
  /** From where the next call goes on; null if there are no more. */
  readonly next: string | null
}

/** Keys that one call checks. */
export const STRAY_KEYS_A_LOOK = 2_000

/**
 * Contract:
 *
 * - `find` checks the next keys of a workspace: the first, or those from the `next` of an earlier call on. It
 *   returns the keys whose event is not in the log (with or without content), not waiting and not parked. An
 *   event that moves from one to another at that time is not stray.
 * - It changes nothing. Costs one look-up in the log for each key.
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
