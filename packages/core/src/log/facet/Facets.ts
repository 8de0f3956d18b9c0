/** Which values the newest events of a filter have in a field: what is asked, and what is answered. */
import { Context, Schema } from "effect"
import { EventFilter } from "../../event/EventFilter.ts"
import { EventTime } from "../../event/EventTime.ts"

/** The fields whose values are counted. */
export const FACET_FIELDS = [
  "action",
  "actor",
  "resource",
  "resource_id",
  "resource_name",
  "target",
  "session_id",
  "country",
  "category",
  "tenant_id"
] as const

/** A field whose values are counted. */
export const FacetField = Schema.Literals(FACET_FIELDS)
export type FacetField = typeof FacetField.Type

/** Most events that are looked at: the newest that a filter selects. */
export const FACET_EVENTS = 100_000

/** After how many milliseconds a store looks at no further part of a log. */
export const FacetMillis = Context.Reference<number>("@cairn/core/FacetMillis", {
  defaultValue: () => 25
})

/** Most values of an answer. */
export const FACET_VALUES = 20

const textOrNull = (description: string) => Schema.NullOr(Schema.String).annotate({ description })

/** A value, and how many events have it. */
export const FacetValue = Schema.Struct({
  value: Schema.String.annotate({ description: "What a filter takes" }),
  label: textOrNull("The newest name of the actor, the resource or the target; null where there is none"),
  type: textOrNull("The type of the resource or the target; null for other fields, and where there is none"),
  count: Schema.Int.annotate({ description: "How many events have it", minimum: 1 })
}).annotate({ identifier: "FacetValue", description: "A value, and how many events have it" })
export type FacetValue = typeof FacetValue.Type

/** The most frequent values that were found among some events. */
export const FacetsFound = Schema.Struct({
  values: Schema.Array(FacetValue).annotate({
    description: `The ${FACET_VALUES} most frequent, the most frequent first; equal ones in the order of their bytes`
  }),
  events: Schema.Int.annotate({ description: "How many events were looked at", minimum: 0 }),
  complete: Schema.Boolean.annotate({
    description:
      "Whether these are all events that the filter selects; otherwise the newest that could be counted in time"
  })
})
export type FacetsFound = typeof FacetsFound.Type

/** The most frequent values of a field. */
export const Facets = Schema.Struct({
  field: FacetField.annotate({ description: "The field" }),
  ...FacetsFound.fields
}).annotate({ identifier: "Facets", description: "The most frequent values of a field" })
export type Facets = typeof Facets.Type

/** What is asked of the events of a log that a filter selects. */
export interface FacetQuery {
  readonly field: FacetField
  /** Which values are wanted, see `isFacetWanted`; empty for all. */
  readonly prefix: string
  /** Most events to look at. */
  readonly most: number
}

/** What to count. */
export const FacetsRequest = Schema.Struct({
  workspaceId: Schema.String,
  filter: EventFilter,
  /** By which time events are the newest, and the filter's times compare: `recorded` unless given. */
  time: Schema.optionalKey(EventTime),
  /** Where the retention window begins; null if nothing expires. */
  visibleFrom: Schema.NullOr(Schema.Number),
  field: FacetField,
  /** Only values that begin like this, or whose label or a word of it does; empty for all. */
  prefix: Schema.String
})
export type FacetsRequest = typeof FacetsRequest.Type
