/** The pagination envelope of every list. */
import { Schema } from "effect"

/** The position of a page in its list. */
const Pagination = Schema.Struct({
  has_more: Schema.Boolean,
  /** Present only when there is more; pass it as `cursor`. */
  next_cursor: Schema.NullOr(Schema.String),
  /** The exact number of results on all pages. */
  total: Schema.Int
}).annotate({ identifier: "Pagination" })

/** A page of `item`s. */
export const Page = <S extends Schema.Top>(item: S) =>
  Schema.Struct({ data: Schema.Array(item), pagination: Pagination })

/** A page. */
export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly pagination: typeof Pagination.Type
}

/** Results of a page by default. */
export const DEFAULT_LIMIT = 25
/** Most results of a page. */
export const MAX_LIMIT = 100
