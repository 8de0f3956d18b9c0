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

/** The same of a list whose total takes long, and may be left out. */
export const EventPagination = Schema.Struct({
  ...Pagination.fields,
  total: Schema.NullOr(Schema.Int).annotate({
    description: "The exact number of results on all pages; null with `total=none`"
  })
}).annotate({ identifier: "EventPagination" })
export type EventPagination = typeof EventPagination.Type

/** A page of `item`s. */
export const Page = <S extends Schema.Top>(item: S) =>
  Schema.Struct({ data: Schema.Array(item), pagination: Pagination })

/** A page. */
export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly pagination: typeof Pagination.Type
}

/** A page of events. */
export interface EventPage<A> {
  readonly data: ReadonlyArray<A>
  readonly pagination: EventPagination
}

/** The schema of such a page. */
export const EventPage = <S extends Schema.Top>(item: S) =>
  Schema.Struct({ data: Schema.Array(item), pagination: EventPagination })

/** Results of a page by default. */
export const DEFAULT_LIMIT = 25
/** Most results of a page. */
export const MAX_LIMIT = 100
