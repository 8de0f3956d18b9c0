/** What must hold at the end of a trial: each promised event is in the log once, with its time. */
import { assert } from "@effect/vitest"
import type { Promised } from "./Application.ts"

/** What of an event of the log counts here. */
export interface Logged {
  readonly idempotency_key: string | null
  readonly occurred_at: string
}

/**
 * Fails unless each promised event is in the log exactly once, with the time of its call. Gives the keys of
 * events in the log that nobody was promised: the process was killed before it could say so.
 */
export const expectAllOnce = (
  logged: ReadonlyArray<Logged>,
  promised: ReadonlyArray<Promised>
): ReadonlyArray<string> => {
  const times = new Map<string, Array<string>>()
  for (const { idempotency_key, occurred_at } of logged) {
    const key = idempotency_key ?? "no key"
    times.set(key, [...(times.get(key) ?? []), occurred_at])
  }
  const wrong = promised.flatMap(({ key, before, after }) => {
    const found = times.get(key) ?? []
    const at = Date.parse(found[0] ?? "")
    return found.length === 1 && at >= before && at <= after
      ? []
      : [`${key}: ${found.length} times, at ${found.join(", ")}, called at ${before} to ${after}`]
  })
  assert.deepStrictEqual(wrong, [])
  assert.deepStrictEqual(
    [...times].filter(([, found]) => found.length > 1).map(([key]) => key),
    []
  )
  const keys = new Set(promised.map(({ key }) => key))
  assert.strictEqual(keys.size, promised.length)
  return [...times.keys()].filter((key) => !keys.has(key))
}
