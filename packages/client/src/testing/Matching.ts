/** Whether an event is the one that a test expects, and how near another one comes. */

/** A part of an event as a test expects it: values, patterns, functions that say whether a value will do. */
export type Expected = {
  readonly [name: string]: unknown
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
  return JSON.stringify(value)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The matchers of vitest and jest, such as `expect.any(String)`. */
const isAsymmetric = (value: unknown): value is { readonly asymmetricMatch: (actual: unknown) => boolean } =>
  isObject(value) && typeof value.asymmetricMatch === "function"

const accepts = (expected: unknown, actual: unknown): boolean | undefined => {
  if (expected instanceof RegExp) return typeof actual === "string" && actual.search(expected) !== -1
  if (typeof expected === "function") return Boolean(expected(actual))
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
