/** Counting events: how many there are, over time, and by the values of a field. */
import { HISTOGRAM_BOUNDS } from "@cairn/api"
import { MAX_NAME, scopedFilter } from "@cairn/core/event"
import { FACET_FIELDS, type FacetsFound, type Histogram } from "@cairn/core/log"

import { Effect } from "effect"
import { type Endpoint, visibleFrom } from "../gate/Endpoint.ts"
import type { makeCountRuns } from "../limits/CountRuns.ts"
import { jsonAnswer } from "../plumbing/Answer.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { readQuery, selection } from "../plumbing/QueryParameters.ts"

const NO_FACETS: FacetsFound = { values: [], events: 0, complete: true }
const NO_HISTOGRAM: Histogram = { bucket_seconds: 60, buckets: [] }

/** Those that count, by their names in the contract. */
export const countingEndpoints = (counts: Effect.Success<ReturnType<typeof makeCountRuns>>) => {
  const countEvents: Endpoint = Effect.fnUntraced(function* ({ query, identity, viewer, profile, now }) {
    const { filter: asked, time } = yield* readQuery(query, selection)
    const filter = viewer === null ? asked : scopedFilter(asked, viewer)
    const wanted = { workspaceId: identity.workspaceId, time, visibleFrom: visibleFrom({ profile, now }) }
    const total = filter === undefined ? 0 : yield* counts.alone({ ...wanted, filter })
    return jsonAnswer({ data: { total } })
  }, asApiError)

  const eventHistogram: Endpoint = Effect.fnUntraced(function* ({ query, identity, viewer, profile, now }) {
    const {
      filter: asked,
      time,
      buckets
    } = yield* readQuery(query, (parameters) => ({
      ...selection(parameters),
      buckets: parameters.limit(HISTOGRAM_BOUNDS, "buckets")
    }))
    const filter = viewer === null ? asked : scopedFilter(asked, viewer)
    if (filter === undefined) return jsonAnswer({ data: NO_HISTOGRAM })
    const { workspaceId } = identity
    const data = yield* counts.histogram({
      workspaceId,
      filter,
      time,
      buckets,
      visibleFrom: visibleFrom({ profile, now })
    })
    return jsonAnswer({ data })
  }, asApiError)

  const eventFacets: Endpoint = Effect.fnUntraced(function* ({ query, identity, viewer, profile, now }) {
    const {
      filter: asked,
      time,
      field,
      prefix
    } = yield* readQuery(query, (parameters) => ({
      ...selection(parameters),
      field: parameters.chosen("field", FACET_FIELDS),
      prefix: parameters.text("prefix", MAX_NAME) ?? ""
    }))
    const filter = viewer === null ? asked : scopedFilter(asked, viewer)
    if (filter === undefined) return jsonAnswer({ data: { field, ...NO_FACETS } })
    const { workspaceId } = identity
    const wanted = { workspaceId, filter, time, visibleFrom: visibleFrom({ profile, now }), field, prefix }
    return jsonAnswer({ data: yield* counts.facets(wanted) })
  }, asApiError)

  return { countEvents, eventHistogram, eventFacets }
}
