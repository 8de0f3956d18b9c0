/** Which values a filter's newest events have in a field, for suggestions. */
import { Context, Effect, Layer } from "effect"
import { EventLog } from "../EventLog.ts"
import { visibleRange } from "../OccurrencePage.ts"
import type { StorageUnavailable } from "../StorageUnavailable.ts"
import { FACET_EVENTS, type Facets, type FacetsRequest } from "./Facets.ts"

/** The use case *facets*. */
export class EventFacets extends Context.Service<
  EventFacets,
  {
    /**
     * The most frequent values of a field among the newest {@link FACET_EVENTS} events of a filter. Where
     * finding those takes long, it looks at fewer and says so.
     */
    readonly read: (request: FacetsRequest) => Effect.Effect<Facets, StorageUnavailable>
  }
>()("@cairn/core/EventFacets") {
  static readonly layer = Layer.effect(
    EventFacets,
    Effect.map(EventLog, (log) => {
      const read = Effect.fn("EventFacets.read")(function* (request: FacetsRequest) {
        const { workspaceId, visibleFrom, field, prefix } = request
        const query = { field, prefix, most: FACET_EVENTS }
        if (request.time === "occurred") {
          const range = yield* visibleRange(log, workspaceId, visibleFrom)
          const wanted = { ...query, filter: request.filter, range }
          return { field, ...(yield* log.occurrenceFacets(workspaceId, wanted)) }
        }
        const from = Math.max(
          request.filter.from ?? Number.NEGATIVE_INFINITY,
          visibleFrom ?? Number.NEGATIVE_INFINITY
        )
        const filter = from === Number.NEGATIVE_INFINITY ? request.filter : { ...request.filter, from }
        return { field, ...(yield* log.facets(workspaceId, filter, query)) }
      })
      return EventFacets.of({ read })
    })
  )
}
