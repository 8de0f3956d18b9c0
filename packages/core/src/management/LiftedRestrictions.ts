/** Rejects bodies that would lift a restriction on events. */

import type { InvalidInput } from "../event/InvalidInput.ts"
import { liftedRestriction } from "../workspace/LiftedRestriction.ts"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Makes the check for one kind of thing: it returns what is wrong, if anything is. `before` is the thing that
 * is changed, null for a new one. A value that is not an object is rejected elsewhere.
 *
 * A restriction can be replaced but not lifted, because a `null` may be a value that the caller did not have.
 */
export const liftedBy =
  (names: ReadonlyArray<string>, what: string) =>
  (body: unknown, before: object | null): InvalidInput | undefined => {
    if (!isRecord(body)) return undefined
    const instead =
      before === null
        ? "leave it out for none"
        : `it can be replaced; for one without it make another ${what}`
    return liftedRestriction(body, names, before === null ? null : { ...before }, instead) ?? undefined
  }
