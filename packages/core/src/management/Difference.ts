/** What a change changes, as its event records it. */

/** A field's value before and after. */
export interface Changed {
  readonly from: unknown
  readonly to: unknown
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The fields that differ, by name. A field that exists on one side only is null on the other. */
export const difference = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>
): Readonly<Record<string, Changed>> => {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return Object.fromEntries(
    names
      .filter((name) => !same(before[name], after[name]))
      .map((name) => [name, { from: before[name] ?? null, to: after[name] ?? null }])
  )
}
