/**
 * Refuses a body that would lift a restriction by the way: `null`, an empty text or an empty list is what a
 * caller sends who did not have the value, and would give away what was to be kept apart.
 */
import { InvalidInput } from "../event/EventInput.ts"

/** Restrictions by their names; null, or a list without members, restricts nothing. */
type Restrictions = Readonly<Record<string, unknown>>

const isNothing = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0)

/**
 * The refusal of a body that holds one of some restrictions with nothing in it; null if there is none.
 * `before` is what a change is made to, null where something new is made: what was not restricted may be said
 * to be so again. `instead` says what to do.
 */
export const liftedRestriction = (
  body: Readonly<Record<string, unknown>>,
  names: ReadonlyArray<string>,
  before: Restrictions | null,
  instead: string
): InvalidInput | null => {
  const name = names.find(
    (one) =>
      Object.hasOwn(body, one) && isNothing(body[one]) && (before === null || !isNothing(before[one] ?? null))
  )
  return name === undefined
    ? null
    : new InvalidInput({
        path: name,
        reason: `must not be null or empty, which would lift the restriction; ${instead}`
      })
}
