/** Refuses bodies that would lift what narrows the events that something sees. */

import { Effect } from "effect"
import { liftedRestriction } from "../workspace/LiftedRestriction.ts"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Makes the check for one kind of thing; `before` is the one that is changed, null for a new one. What is no
 * object is refused elsewhere.
 *
 * A restriction is replaced and never lifted, because a `null` is as likely a value that the caller did not
 * have.
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
