/**
 * Rejects a body that would accidentally lift a restriction: callers who do not have a value send `null`, an
 * empty text or an empty list, and would give access to what should stay separate.
 */
import { InvalidInput } from "../event/InvalidInput.ts"

/** Restrictions by name; null, or a list without members, restricts nothing. */
type Restrictions = Readonly<Record<string, unknown>>

const isNothing = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0)

/**
 * The error for a body that gives one of some restrictions an empty value; null if there is none. `before` is
 * the thing that is changed, null for a new one: what was not restricted may stay so. `instead` says what the
 * caller should do.
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
