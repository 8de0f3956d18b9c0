/** Whether an event is the one that a test expects, and how near another one comes. */

import type { EventInput } from "../Types.ts"

/** A part of an event as a test expects it: values, patterns, functions that say whether a value will do. */
export type Expected = {
  readonly [Name in keyof EventInput]?: unknown
}

/** The members that an event can have. */
const NAMES: Readonly<Record<keyof EventInput, true>> = {
  actor_id: true,
  actor_name: true,
  actor_type: true,
  action: true,
  action_category: true,
  resource_id: true,
  resource_name: true,
  resource: true,
  metadata: true,
  targets: true,
  occurred_at: true,
  session_id: true,
  tenant_id: true,
  idempotency_key: true,
  version: true,
  ip_address: true
}

/** @throws TypeError for an expectation with a member that no event has: it would not depend on the event. */
export const checkExpected = (expected: Expected): void => {
  const unknown = Object.keys(expected).find((name) => !Object.hasOwn(NAMES, name))
  if (unknown !== undefined) throw new TypeError(`no event has a member ${JSON.stringify(unknown)}`)
}

/** A member of an event that is not as it was expected. */
export interface Difference {
  /** Its names, joined by dots. */
  readonly path: string
  readonly expected: string
  readonly actual: string
}

const show = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (value instanceof RegExp) return String(value)
  if (typeof value === "function") return `what ${value.name || "the function"} accepts`
  if (typeof value === "bigint") return `${value}n`
  if (isAsymmetric(value)) return value.toAsymmetricMatcher?.() ?? String(value)
  if (Array.isArray(value)) return `[${value.map(show).join(",")}]`
  if (!isObject(value) || value instanceof Date) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${show(member)}`)
    .join(",")}}`
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The matchers of vitest and jest, such as `expect.any(String)`. */
interface Asymmetric {
  readonly asymmetricMatch: (actual: unknown) => boolean
  readonly toAsymmetricMatcher?: () => string
}

const isAsymmetric = (value: unknown): value is Asymmetric =>
  isObject(value) && typeof value.asymmetricMatch === "function"

/** A function that throws for an event, because a member is missing, says no to it. */
const says = (accepts: (actual: unknown) => unknown, actual: unknown): boolean => {
  let said: unknown
  try {
    said = accepts(actual)
  } catch {
    return false
  }
  if (typeof (said as { readonly then?: unknown } | undefined)?.then !== "function") return Boolean(said)
  Promise.resolve(said).catch(() => {})
  throw new TypeError("a function of an expectation must not be asynchronous")
}

const accepts = (expected: unknown, actual: unknown): boolean | undefined => {
  if (expected instanceof RegExp) return typeof actual === "string" && actual.search(expected) !== -1
  // As JSON has it.
  if (expected instanceof Date) return actual === expected.toJSON()
  if (typeof expected === "function") return says((value) => expected(value), actual)
  if (isAsymmetric(expected)) return expected.asymmetricMatch(actual)
  return undefined
}

/**
 * Where an event is not as expected. Objects may have members more than are expected; lists must have as many
 * items, each as expected. `undefined` is expected of what is not there.
 */
export const differences = (expected: unknown, actual: unknown, path = ""): ReadonlyArray<Difference> => {
  const accepted = accepts(expected, actual)
  const here = (isAlike: boolean): ReadonlyArray<Difference> =>
    isAlike ? [] : [{ path, expected: show(expected), actual: show(actual) }]
  if (accepted !== undefined) return here(accepted)
  const below = (name: string) => (path === "" ? name : `${path}.${name}`)
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((item, index) => differences(item, actual[index], below(String(index))))
  }
  if (isObject(expected) && isObject(actual)) {
    return Object.entries(expected).flatMap(([name, value]) =>
      differences(value, Object.hasOwn(actual, name) ? actual[name] : undefined, below(name))
    )
  }
  return here(Object.is(expected, actual))
}
