/** Rejects bodies that would lift a restriction on events. */

import { Effect } from "effect"
import { liftedRestriction } from "../workspace/LiftedRestriction.ts"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Makes the check for one kind of thing. `before` is the thing that is changed, null for a new one. A value
 * that is not an object is rejected elsewhere.
 *
 * A restriction can be replaced but not lifted, because a `null` may be a value that the caller did not have.
 */
export const refuseLiftedOf =
  (names: ReadonlyArray<string>, what: string) => (body: unknown, before: object | null) => {
    if (!isRecord(body)) return Effect.void
    const instead =
      before === null
        ? "leave it out for none"
        : `it can be replaced; for one without it make another ${what}`
    const lifted = liftedRestriction(body, names, before === null ? null : { ...before }, instead)
    return lifted === null ? Effect.void : Effect.fail(lifted)
  }
