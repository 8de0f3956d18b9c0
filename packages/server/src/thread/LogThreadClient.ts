/** The core's reading and verifying services on the main thread, each done by the log thread. */

import { Worker } from "node:worker_threads"
import { AlertBacktest, AlertReader } from "@cairn/core/alert"
import { LogCheckpoints } from "@cairn/core/checkpoint"
import { type EventFilter, searchesOf } from "@cairn/core/event"
import { SentExports } from "@cairn/core/export"
import { EventFacets, EventHistogram, RangeCounts, StorageUnavailable } from "@cairn/core/log"
import { DeliveryReader } from "@cairn/core/outbound"
import { ChainVerifier } from "@cairn/core/verification"
import { NodeWorker } from "@effect/platform-node"
import { Context, Effect, Layer, Option, Stream } from "effect"
import { RpcClient, RpcClientError } from "effect/rpc"
import { AnchorRequests } from "./AnchorRequests.ts"
import { EventAnswers } from "./EventAnswers.ts"
import { LogRpcs } from "./LogRpc.ts"
import { withNeeds } from "./ReadNeeds.ts"
import { type Errand, makeShares } from "./Shares.ts"
import type { ThreadConfig } from "./ThreadConfig.ts"

/** Calls that may be in progress at once, of all workspaces; further ones wait their turn. */
const CONCURRENCY = 256

// The source runs as it is where Node strips types, and from `dist` where it is installed.
const entry = new URL(import.meta.url.endsWith(".ts") ? "./LogThread.ts" : "./LogThread.js", import.meta.url)

/** Asks the log thread to sequence what waits, and waits until it has. */
export class LogThread extends Context.Service<
  LogThread,
  { readonly drain: Effect.Effect<void, StorageUnavailable> }
>()("@cairn/server/LogThread") {}

type Gone = RpcClientError.RpcClientError

const isGone = <E>(error: E | Gone): error is Gone => error instanceof RpcClientError.RpcClientError

const gone = (cause: Gone) => new StorageUnavailable({ operation: "ask the log thread", cause })

/** The thread's result, or the error that the thread has ended. */
const answered = <A, E, R>(
  call: Effect.Effect<A, E | Gone, R>
): Effect.Effect<A, E | StorageUnavailable, R> =>
  Effect.mapError(call, (error) => (isGone(error) ? gone(error) : error))

/** What a filter costs: a text is searched in every event that the other conditions leave. */
const errandOf = (filter: EventFilter): Errand => (searchesOf(filter).length === 0 ? "page" : "search")

const client = RpcClient.make(LogRpcs)

/** What counts. `CountRuns` says how much of it may be in progress. */
const counting = (rpc: Effect.Success<typeof client>) =>
  Context.make(
    EventHistogram,
    EventHistogram.of({ read: (request) => answered(withNeeds(rpc.Histogram(request))) })
  ).pipe(
    Context.add(EventFacets, EventFacets.of({ read: (request) => answered(withNeeds(rpc.Facets(request))) }))
  )

/** Asks for an errand of a workspace. */
type Ask = <A, E, R>(
  workspaceId: string,
  errand: Errand,
  call: Effect.Effect<A, E | Gone, R>
) => Effect.Effect<A, E | StorageUnavailable, R>

/** What answers that go on and on are made with. */
const makeStreaming = (rpc: Effect.Success<typeof client>, ask: Ask) =>
  Context.make(
    RangeCounts,
    RangeCounts.of({
      count: (request) => ask(request.workspaceId, errandOf(request.filter), rpc.CountRange(request))
    })
  ).pipe(
    Context.add(
      SentExports,
      SentExports.of({
        // The answers that are open say how many may be in progress. One piece waits here at most.
        text: (request) =>
          Stream.mapError(rpc.SendExport(request, { streamBufferSize: 1 }), (error) =>
            isGone(error) ? gone(error) : error
          )
      })
    )
  )

/** Starts the thread; it stops with the scope. */
export const layer = (config: ThreadConfig) => {
  const shares = makeShares()
  const ask: Ask = (workspaceId, errand, call) => answered(shares.take(workspaceId, errand, call))
  return Layer.effectContext(
    Effect.map(client, (rpc) =>
      Context.make(
        EventAnswers,
        EventAnswers.of({
          get: (request) =>
            Effect.map(ask(request.workspaceId, "look", withNeeds(rpc.Get(request))), Option.fromNullishOr),
          list: (request) => ask(request.workspaceId, errandOf(request.filter), withNeeds(rpc.List(request))),
          // `CountRuns` says how many may be in progress.
          count: (request) => answered(withNeeds(rpc.Count(request))),
          prove: (request) => ask(request.workspaceId, "proofs", rpc.Prove(request))
        })
      ).pipe(
        Context.add(
          LogCheckpoints,
          LogCheckpoints.of({
            current: (workspaceId) => ask(workspaceId, "look", rpc.Checkpoint({ workspaceId })),
            consistency: (workspaceId, from, to) =>
              ask(workspaceId, "look", rpc.Consistency({ workspaceId, from, to }))
          })
        ),
        Context.add(
          AnchorRequests,
          AnchorRequests.of({
            close: (workspaceId) =>
              Effect.map(ask(workspaceId, "look", rpc.ClosePeriod({ workspaceId })), Option.fromNullishOr),
            verify: (workspaceId, anchorId) =>
              Effect.map(
                ask(workspaceId, "walk", rpc.VerifyAnchor({ workspaceId, anchorId })),
                Option.fromNullishOr
              )
          })
        ),
        Context.merge(counting(rpc)),
        Context.add(
          ChainVerifier,
          ChainVerifier.of({
            verify: (request) => ask(request.workspaceId, "walk", rpc.Verify(request))
          })
        ),
        Context.add(
          AlertReader,
          AlertReader.of({
            list: (request) => ask(request.workspaceId, "look", rpc.Alerts(request))
          })
        ),
        Context.add(
          AlertBacktest,
          AlertBacktest.of({
            run: (workspaceId, { id: ruleId, ...definition }) =>
              ask(workspaceId, "walk", rpc.Backtest({ workspaceId, ruleId, definition }))
          })
        ),
        Context.add(
          DeliveryReader,
          DeliveryReader.of({
            list: (request) => ask(request.workspaceId, "look", rpc.Deliveries(request)),
            get: (workspaceId, id) =>
              Effect.map(ask(workspaceId, "look", rpc.Delivery({ workspaceId, id })), Option.fromNullishOr)
          })
        ),
        Context.merge(makeStreaming(rpc, ask)),
        Context.add(LogThread, LogThread.of({ drain: answered(rpc.Drain()) }))
      )
    )
  ).pipe(
    Layer.provide(RpcClient.layerProtocolWorker({ size: 1, concurrency: CONCURRENCY })),
    Layer.provide(NodeWorker.layer(() => new Worker(entry, { name: "cairn-log", workerData: config })))
  )
}
