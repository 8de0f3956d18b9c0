/** What a setting of the environment is, and how common kinds of values are read. */

/** One setting. */
export interface Variable<A> {
  readonly name: string
  readonly fallback: string
  readonly help: string
  readonly allowed: string
  /** `undefined` refuses the value. */
  readonly read: (value: string) => A | undefined
}

/** One of a few words. */
export const oneOf =
  <const A extends ReadonlyArray<string>>(values: A) =>
  (value: string): A[number] | undefined =>
    values.find((known) => known === value)

/** A whole number within bounds, both included. */
export const integer = (min: number, max: number) => (value: string) => {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
  return number >= min && number <= max ? number : undefined
}

/** What stands between commas. */
export const list = (value: string): ReadonlyArray<string> =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")
