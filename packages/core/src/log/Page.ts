/** The pagination envelope of every list. */
import { Schema } from "effect"
import * as Field from "../encoding/FieldSchemas.ts"

/** The position of a page in its list. */
const Pagination = Schema.Struct({
  has_more: Schema.Boolean.annotate({ description: "Whether there is a page after this one" }),
  next_cursor: Schema.NullOr(Schema.String).annotate({
    description: "The `cursor` of the next page; null on the last one"
  }),
  total: Field.count("The exact number of results on all pages")
}).annotate({ identifier: "Pagination", description: "The position of a page in its list" })

/** The same of a list whose total takes long, and may be left out. */
export const EventPagination = Schema.Struct({
  ...Pagination.fields,
  total: Field.nullable(Field.count(), "The exact number of results on all pages; null with `total=none`")
}).annotate({
  identifier: "EventPagination",
  description: "The position of a page in a list whose total takes long"
})
export type EventPagination = typeof EventPagination.Type

/** A page of `item`s. */
export const Page = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    data: Schema.Array(item).annotate({ description: "The page, in the list's order" }),
    pagination: Pagination
  })

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
  Schema.Struct({
    data: Schema.Array(item).annotate({ description: "The page, newest first" }),
    pagination: EventPagination
  })

/** Results of a page by default. */
export const DEFAULT_LIMIT = 25
/** Most results of a page. */
export const MAX_LIMIT = 100
