/** `cairn serve`: the whole server in one process, until it is told to stop. */

import { randomUUID } from "node:crypto"
import { Micros } from "@cairn/core/encoding"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer, Ref } from "effect"
import { HttpServer } from "effect/http"
import { ViewerPage } from "./http/endpoints/ViewerPage.ts"
import * as HttpApp from "./http/HttpApp.ts"
import { Draining } from "./http/plumbing/Draining.ts"
import { makeNodeServer } from "./http/plumbing/NodeServer.ts"
import { layerAccepting } from "./layers/Accepting.ts"
import { layerExports } from "./layers/Exports.ts"
import { layerHttp } from "./layers/Http.ts"
import { layerManaging } from "./layers/Managing.ts"
import { layerViewerTokens } from "./layers/ViewerTokens.ts"
import { recordAcceptedLosses } from "./management/AcceptedLosses.ts"
import { ManagementEvents } from "./management/ManagementEvent.ts"
import { SecretsReadable } from "./secret/SecretsReadable.ts"
import type { Configuration } from "./settings/Configuration.ts"
import * as DeliveryThreadClient from "./thread/DeliveryThreadClient.ts"
import * as LogThreadClient from "./thread/LogThreadClient.ts"
import { LogThread } from "./thread/LogThreadClient.ts"
import { collectStartupGarbage } from "./thread/StartupGarbage.ts"
import type { ThreadConfig } from "./thread/ThreadConfig.ts"
import * as TurnWatch from "./thread/TurnWatch.ts"

/** How long requests that were begun may take to finish once the server is told to stop. */
const GRACE = "15 seconds"

const baseUrlOf = (configuration: Configuration, port: number): string => {
  if (configuration.baseUrl !== "") return configuration.baseUrl
  const host = ["0.0.0.0", "::"].includes(configuration.host) ? "localhost" : configuration.host
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}

const portOf = Effect.map(HttpServer.HttpServer, ({ address }) => ("port" in address ? address.port : 0))

/** What a process does: everything, only requests, or only what happens behind them. */
export type Role = "all" | "api" | "worker"

/** Serves until interrupted; `ready` runs once the server listens, with its base address. */
export const serve = <E, R>(
  configuration: Configuration,
  { secretKeys, chain, clock }: Required<Pick<ThreadConfig, "secretKeys" | "chain" | "clock">>,
  role: Role,
  ready: (baseUrl: string) => Effect.Effect<void, E, R>
) => {
  const { host, port, geoipFiles, logLevel } = configuration
  const { database, inboxCapacity, connections } = configuration
  const storage = { database, inboxCapacity, connections, clock, seen: new SharedArrayBuffer(8) }
  const works = role !== "api"
  // A channel of this server's own, should there be another in the process.
  const growth = randomUUID()
  const { outbound, exportStore, archiveStore, verification, checkpointEverySeconds } = configuration
  // Both name the server's address in links, which is known once it listens.
  const delivers = works
    ? Layer.unwrap(
        Effect.map(portOf, (bound) => {
          const baseUrl = baseUrlOf(configuration, bound)
          const own = { secretKeys, chain, logLevel, growth, outbound, baseUrl, exportStore, archiveStore }
          return DeliveryThreadClient.layer({ ...storage, ...own, verification, checkpointEverySeconds })
        })
      )
    : Layer.empty
  const exports = Layer.unwrap(
    Effect.map(portOf, (bound) =>
      layerExports({ baseUrl: baseUrlOf(configuration, bound), secretKeys, store: exportStore })
    )
  )
  const server = NodeHttpServer.layer(makeNodeServer, { host, port, gracefulShutdownTimeout: GRACE })
  const announce = Layer.effectDiscard(
    Effect.andThen(
      Effect.flatMap(portOf, (bound) => ready(baseUrlOf(configuration, bound))),
      Effect.forkScoped(collectStartupGarbage)
    )
  )
  // Finalizers run last first: draining is said, the server closes, then what was accepted is sequenced.
  const sequenceRest = works
    ? Layer.effectDiscard(
        Effect.flatMap(LogThread, ({ drain }) =>
          Effect.addFinalizer(() => Effect.ignore(Effect.timeout(drain, "10 seconds")))
        )
      )
    : Layer.empty
  const recordLosses = Layer.effectDiscard(
    Effect.forkScoped(
      recordAcceptedLosses.pipe(
        Effect.catch((error) =>
          Effect.logError("A loss that was accepted is not recorded in the logs yet").pipe(
            Effect.annotateLogs({ reason: error.message })
          )
        )
      )
    )
  ).pipe(Layer.provide(ManagementEvents.layer))
  const sayDraining = Layer.effectDiscard(
    Effect.flatMap(Draining, (draining) => Effect.addFinalizer(() => Ref.set(draining, true)))
  )
  return HttpApp.layer({ ...configuration, healthOnly: role === "worker" }).pipe(
    Layer.provideMerge(sayDraining),
    Layer.provideMerge(announce),
    Layer.provideMerge(recordLosses),
    Layer.provideMerge(exports),
    Layer.provideMerge(ViewerPage.layer(configuration.frameAncestors)),
    Layer.provideMerge(delivers),
    Layer.provideMerge(server),
    Layer.provideMerge(sequenceRest),
    Layer.provideMerge(layerHttp(configuration)),
    Layer.provideMerge(SecretsReadable.layer),
    Layer.provideMerge(layerViewerTokens),
    Layer.provideMerge(
      layerManaging({ outbound, secretKeys, retentionDelay: configuration.retentionDelayDays * Micros.DAY })
    ),
    Layer.provideMerge(layerAccepting({ ...storage, retentionDelayDays: configuration.retentionDelayDays })),
    Layer.provideMerge(
      LogThreadClient.layer({
        ...storage,
        secretKeys,
        chain,
        anchorEverySeconds: configuration.anchor.everySeconds,
        geoipFiles,
        logLevel,
        growth,
        works
      })
    ),
    Layer.provideMerge(TurnWatch.layer("main")),
    Layer.launch
  )
}
