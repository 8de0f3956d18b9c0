/**
 * Many rows or keys in few statements, and few different statements: one is prepared for each number of
 * parameters, so the numbers are powers of two.
 */

/** Most rows of one statement. */
const LARGEST = 256

/** The items in order, in batches of 256, 128 … 1, or of another power of two and those below it. */
export const inBatches = <A>(
  items: ReadonlyArray<A>,
  largest: number = LARGEST
): ReadonlyArray<ReadonlyArray<A>> => {
  const batches: Array<ReadonlyArray<A>> = []
  let size = largest
  for (let at = 0; at < items.length; at += size) {
    while (size > items.length - at) size /= 2
    batches.push(items.slice(at, at + size))
  }
  return batches
}
