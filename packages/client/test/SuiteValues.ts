/** What stands for a value in the conformance suite: see `testdata/client/README.md`. */

/** The values that names stand for within one case. */
export class Names {
  readonly #values = new Map<string, unknown>()

  /** Whether the value is the one of that name; the first one is. */
  binds(name: string, value: unknown): boolean {
    if (!this.#values.has(name)) this.#values.set(name, value)
    return this.#values.get(name) === value
  }
}

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/

const KINDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  any: () => true,
  uuid7: (value) => UUID7.test(String(value)),
  time: (value) => TIME.test(String(value)) && Math.abs(Date.parse(String(value)) - Date.now()) < 600_000
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a value is as a case expects it: whole, with no member more. */
export const matches = (expected: unknown, actual: unknown, names: Names): boolean => {
  if (isObject(expected) && typeof expected.$is === "string") {
    const isKind = KINDS[expected.$is]?.(actual) === true
    return isKind && (typeof expected.$name !== "string" || names.binds(expected.$name, actual))
  }
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((item, index) => matches(item, actual[index], names))
    )
  }
  if (isObject(expected)) {
    return (
      isObject(actual) &&
      Object.keys(actual).length === Object.keys(expected).length &&
      Object.entries(expected).every(
        ([name, value]) => Object.hasOwn(actual, name) && matches(value, actual[name], names)
      )
    )
  }
  return Object.is(expected, actual)
}
