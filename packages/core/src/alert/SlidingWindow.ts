/**
 * Whether enough events are within a window, while storing only as many times as are needed.
 *
 * An event fires if it is the threshold-th within the window that ends with it. Times before the last
 * `threshold` ones can never matter, so the row is bounded and the result is exact.
 */
import { Schema } from "effect"
import { type Micros, SECOND } from "../encoding/Micros.ts"
import { rowCodec } from "./AlertState.ts"

/** Most times that one row keeps. */
export const MAX_THRESHOLD = 1_000
/** The longest window: a day. */
export const MAX_WINDOW_SECONDS = 86_400

/** A row of times, oldest first. */
export const moments = rowCodec(Schema.Array(Schema.Number))

/**
 * The times after adding one at `at`: those within the half-open window that ends there, at most the last
 * `keep`.
 */
export const slide = (
  before: ReadonlyArray<Micros>,
  at: Micros,
  windowSeconds: number,
  keep: number
): ReadonlyArray<Micros> => {
  // A time exactly one window ago is outside, so that a window of 60 seconds covers 60 seconds.
  const since = at - windowSeconds * SECOND
  let from = Math.max(0, before.length + 1 - keep)
  while (from < before.length && (before[from] ?? at) <= since) from++
  return [...before.slice(from), at]
}
