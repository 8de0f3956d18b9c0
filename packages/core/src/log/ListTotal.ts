/** The total of a list, which never contradicts its page. */
import { Effect } from "effect"

/** What a page shows of how many there are. */
interface Shown {
  readonly length: number
  readonly pagination: { readonly has_more: boolean }
}

/** The fewest that there are, given a page. */
const leastOf = ({ length, pagination }: Shown): number => length + (pagination.has_more ? 1 : 0)

/**
 * The page, and the total as of a moment before it. The total is first, so that it counts no event that no
 * page holds yet; where events that came in between make it too small for the page, it is counted again. Null
 * if nothing is to be counted.
 */
export const withTotal = Effect.fnUntraced(function* <A extends Shown, E, R, F, S>(
  count: Effect.Effect<number, E, R> | null,
  read: Effect.Effect<A, F, S>
) {
  if (count === null) return { page: yield* read, total: null }
  const before = yield* count
  const page = yield* read
  const least = leastOf(page)
  if (before >= least) return { page, total: before }
  return { page, total: page.pagination.has_more ? Math.max(yield* count, least) : least }
})
