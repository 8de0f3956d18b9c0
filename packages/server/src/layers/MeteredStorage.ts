/** The ports on the database, which meter what their work takes. */
import { Consumers } from "@cairn/core/consumer"
import { EventLog, Inbox, LOG_METRICS, Meters, type MetricHistogram } from "@cairn/core/log"
import { Context, Effect, Layer } from "effect"

/** The same work, whose time is observed however it ends. */
const timed =
  (histogram: MetricHistogram) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const began = performance.now()
      return Effect.onExit(work, () =>
        Effect.sync(() => histogram.observe((performance.now() - began) / 1_000))
      )
    })

/**
 * Puts meters over the ports. An inbox that accepts without an Effect reports its commits itself, see
 * `StoreWait`.
 */
export const layerMeteredStorage = Layer.effectContext(
  Effect.gen(function* () {
    const meters = yield* Meters
    const inbox = yield* Inbox
    const log = yield* EventLog
    const consumers = yield* Consumers
    const of = (operation: string) => timed(meters.histogram(LOG_METRICS.databaseTime, { operation }))
    const [accepting, appending, consuming, reading] = [of("accept"), of("append"), of("consume"), of("read")]
    const { accept } = inbox
    const metered: Inbox["Service"] = {
      ...inbox,
      accept: accept.promptly === undefined ? (request) => accepting(accept(request)) : accept
    }
    return Context.make(Inbox, Inbox.of(metered)).pipe(
      Context.add(
        EventLog,
        EventLog.of({
          ...log,
          append: (requests, most) => appending(log.append(requests, most)),
          get: (workspaceId, id) => reading(log.get(workspaceId, id)),
          page: (workspaceId, request) => reading(log.page(workspaceId, request)),
          count: (workspaceId, ...request) => reading(log.count(workspaceId, ...request)),
          entries: (workspaceId, from, limit) => reading(log.entries(workspaceId, from, limit))
        })
      ),
      Context.add(
        Consumers,
        Consumers.of({
          ...consumers,
          commit: (position, commit) => consuming(consumers.commit(position, commit))
        })
      )
    )
  })
)
