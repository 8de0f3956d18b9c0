/**
 * Whether enough events fell within a window, with no more than that many moments remembered.
 *
 * An event fires when it is the threshold-th within the window that ends with it, so older moments than the
 * last threshold can never matter: the row is bounded, and the answer is exact.
 */
import { Schema } from "effect"
import { type Micros, SECOND } from "../encoding/Micros.ts"
import { rowCodec } from "./AlertState.ts"

/** Most moments that one row keeps. */
export const MAX_THRESHOLD = 1_000
/** The longest window: a day. */
export const MAX_WINDOW_SECONDS = 86_400

/** A row of moments, oldest first. */
export const moments = rowCodec(Schema.Array(Schema.Number))

/**
 * The moments after one more at `at`: those within the half-open window that ends there, at most the last
 * `keep`.
 */
export const slide = (
  before: ReadonlyArray<Micros>,
  at: Micros,
  windowSeconds: number,
  keep: number
): ReadonlyArray<Micros> => {
  // Exactly one window ago is outside, so that a window of 60 seconds holds 60 seconds.
  const since = at - windowSeconds * SECOND
  let from = Math.max(0, before.length + 1 - keep)
  while (from < before.length && (before[from] ?? at) <= since) from++
  return [...before.slice(from), at]
}
