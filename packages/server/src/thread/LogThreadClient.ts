/** The main thread's side: the core's reading and verifying services, answered by the log thread. */

import { Worker } from "node:worker_threads"
import {
  AlertBacktest,
  AlertReader,
  ChainVerifier,
  DeliveryReader,
  EventHistogram,
  LogCheckpoints,
  StorageUnavailable
} from "@cairn/core"
import { NodeWorker } from "@effect/platform-node"
import { Context, Effect, Layer, Option } from "effect"
import { RpcClient } from "effect/rpc"
import { AnchorRequests } from "../anchor/AnchorRequests.ts"
import { EventAnswers } from "./EventAnswers.ts"
import { LogRpcs } from "./LogRpc.ts"
import type { ThreadConfig } from "./ThreadConfig.ts"

/** Calls that may be under way at once; further ones wait their turn. */
const CONCURRENCY = 256

// The source runs as it is where Node strips types, and from `dist` where it is installed.
const entry = new URL(import.meta.url.endsWith(".ts") ? "./LogThread.ts" : "./LogThread.js", import.meta.url)

/** Asks the log thread to sequence what waits, and waits until it has. */
export class LogThread extends Context.Service<
  LogThread,
  { readonly drain: Effect.Effect<void, StorageUnavailable> }
>()("@cairn/server/LogThread") {}

const gone = (cause: unknown) => new StorageUnavailable({ operation: "ask the log thread", cause })

/** Starts the thread; it stops with the scope. */
export const layer = (config: ThreadConfig) => {
  const client = RpcClient.make(LogRpcs)
  return Layer.effectContext(
    Effect.map(client, (rpc) =>
      Context.make(
        EventAnswers,
        EventAnswers.of({
          get: (request) =>
            rpc.Get(request).pipe(
              Effect.catchTag("RpcClientError", (error) => Effect.fail(gone(error))),
              Effect.map(Option.fromNullishOr)
            ),
          list: (request) =>
            rpc.List(request).pipe(Effect.catchTag("RpcClientError", (error) => Effect.fail(gone(error)))),
          prove: (request) =>
            rpc.Prove(request).pipe(Effect.catchTag("RpcClientError", (error) => Effect.fail(gone(error))))
        })
      ).pipe(
        Context.add(
          LogCheckpoints,
          LogCheckpoints.of({
            current: (workspaceId) =>
              rpc
                .Checkpoint({ workspaceId })
                .pipe(Effect.catchTag("RpcClientError", (error) => Effect.fail(gone(error)))),
            consistency: (workspaceId, from, to) =>
              rpc
                .Consistency({ workspaceId, from, to })
                .pipe(Effect.catchTag("RpcClientError", (error) => Effect.fail(gone(error))))
          })
        ),
        Context.add(
          AnchorRequests,
          AnchorRequests.of({
            close: (workspaceId) =>
              rpc.ClosePeriod({ workspaceId }).pipe(
                Effect.catchTag("RpcClientError", (error) => Effect.fail(gone(error))),
                Effect.map(Option.fromNullishOr)
              ),
            verify: (workspaceId, anchorId) =>
              rpc.VerifyAnchor({ workspaceId, anchorId }).pipe(
                Effect.catchTag("RpcClientError", (error) => Effect.fail(gone(error))),
                Effect.map(Option.fromNullishOr)
              )
          })
        ),
        Context.add(
          EventHistogram,
          EventHistogram.of({
            read: (request) =>
              rpc
                .Histogram(request)
                .pipe(Effect.catchTag("RpcClientError", (error) => Effect.fail(gone(error))))
          })
        ),
        Context.add(
          ChainVerifier,
          ChainVerifier.of({
            verify: (request) =>
              rpc.Verify(request).pipe(Effect.catchTag("RpcClientError", (error) => Effect.fail(gone(error))))
          })
        ),
        Context.add(
          AlertReader,
          AlertReader.of({
            list: (request) =>
              rpc.Alerts(request).pipe(Effect.catchTag("RpcClientError", (error) => Effect.fail(gone(error))))
          })
        ),
        Context.add(
          AlertBacktest,
          AlertBacktest.of({
            run: (workspaceId, { id: ruleId, ...definition }) =>
              rpc
                .Backtest({ workspaceId, ruleId, definition })
                .pipe(Effect.catchTag("RpcClientError", (error) => Effect.fail(gone(error))))
          })
        ),
        Context.add(
          DeliveryReader,
          DeliveryReader.of({
            list: (request) =>
              rpc
                .Deliveries(request)
                .pipe(Effect.catchTag("RpcClientError", (error) => Effect.fail(gone(error)))),
            get: (workspaceId, id) =>
              rpc.Delivery({ workspaceId, id }).pipe(
                Effect.catchTag("RpcClientError", (error) => Effect.fail(gone(error))),
                Effect.map(Option.fromNullishOr)
              )
          })
        ),
        Context.add(
          LogThread,
          LogThread.of({
            drain: rpc.Drain().pipe(Effect.catchTag("RpcClientError", (error) => Effect.fail(gone(error))))
          })
        )
      )
    )
  ).pipe(
    Layer.provide(RpcClient.layerProtocolWorker({ size: 1, concurrency: CONCURRENCY })),
    Layer.provide(NodeWorker.layer(() => new Worker(entry, { workerData: config })))
  )
}
