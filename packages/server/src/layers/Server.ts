/** The main thread of `cairn serve`: HTTP over the use cases, and the two threads behind it. */
import { randomUUID } from "node:crypto"
import { AccessEvents, OwedEvents } from "@cairn/core/access"
import { Micros } from "@cairn/core/encoding"
import { LiveCounts } from "@cairn/core/log"
import { ManagementEvents, recordAcceptedLosses } from "@cairn/core/management"
import { Effect, Layer, Ref } from "effect"
import { HttpServer } from "effect/http"
import { ConsolePage } from "../http/endpoints/ConsolePage.ts"
import { ViewerPage } from "../http/endpoints/ViewerPage.ts"
import * as HttpApp from "../http/HttpApp.ts"
import { ClockLag } from "../http/plumbing/ClockLag.ts"
import { Draining } from "../http/plumbing/Draining.ts"
import * as NodeServer from "../http/plumbing/NodeServer.ts"
import { SecretsReadable } from "../secret/SecretsReadable.ts"
import type { Configuration } from "../settings/Configuration.ts"
import { serviceAddress } from "../settings/ServiceAddress.ts"
import * as DeliveryThreadClient from "../thread/DeliveryThreadClient.ts"
import * as LogThreadClient from "../thread/LogThreadClient.ts"
import { LogThread } from "../thread/LogThreadClient.ts"
import { collectStartupGarbage } from "../thread/StartupGarbage.ts"
import type { ThreadConfig } from "../thread/ThreadConfig.ts"
import * as TurnWatch from "../thread/TurnWatch.ts"
import { layerAccepting } from "./Accepting.ts"
import { layerExports } from "./Exports.ts"
import { layerHttp } from "./Http.ts"
import { layerLeaving } from "./Leaving.ts"
import { layerManaging } from "./Managing.ts"
import { layerMeters, layerMetrics } from "./Metrics.ts"
import { layerPeople } from "./People.ts"
import { layerTracing } from "./Tracing.ts"
import { layerViewerTokens } from "./ViewerTokens.ts"

/** How long requests that were begun may take to finish once the server is stopped. */
const GRACE = "15 seconds"

/** What a process does: everything, only requests, or only what happens behind them. */
export type Role = "all" | "api" | "worker"

/** What a server is started with beside its settings. */
export type StartedWith = Required<Pick<ThreadConfig, "secretKeys" | "chain" | "clock">>

/** What the threads of a process share. */
interface Process
  extends StartedWith,
    Required<Pick<ThreadConfig, "seen" | "growth" | "metrics" | "traces" | "works">> {
  readonly configuration: Configuration
}

const storageOf = ({ configuration, clock, seen }: Process) => {
  const { database, databaseWaitSeconds: waitSeconds, inboxCapacity, connections } = configuration
  return { database, waitSeconds, inboxCapacity, connections, clock, seen }
}

/** Where clients reach the server, which is known once it listens. */
const baseUrlOf = (configuration: Configuration) =>
  Effect.map(HttpServer.HttpServer, ({ address }) =>
    serviceAddress(configuration, "port" in address ? address.port : 0)
  )

/** Starts the delivery thread, unless the process only takes requests. */
const layerDeliveryWorker = (process: Process) => {
  const { configuration, secretKeys, chain, growth, metrics, traces, works } = process
  if (!works) return Layer.empty
  const { logLevel, outbound, exportStore, archiveStore } = configuration
  const { verification, checkpointEverySeconds, backup } = configuration
  return Layer.unwrap(
    Effect.map(baseUrlOf(configuration), (baseUrl) => {
      const own = {
        secretKeys,
        chain,
        logLevel,
        growth,
        metrics,
        traces,
        outbound,
        baseUrl,
        exportStore,
        archiveStore,
        backup
      }
      return DeliveryThreadClient.layer({
        ...storageOf(process),
        ...own,
        verification,
        checkpointEverySeconds
      })
    })
  )
}

/** Starts the log thread, and provides the services that it does the work of. */
const layerLogWorker = (process: Process) => {
  const { configuration, secretKeys, chain, growth, metrics, traces, works } = process
  const { geoipFiles, logLevel, anchor } = configuration
  const own = { secretKeys, chain, geoipFiles, logLevel, growth, metrics, traces, works }
  return LogThreadClient.layer({
    ...storageOf(process),
    ...own,
    anchorEverySeconds: anchor.everySeconds
  })
}

const layerExportLinks = ({ configuration, secretKeys }: Process) =>
  Layer.unwrap(
    Effect.map(baseUrlOf(configuration), (baseUrl) =>
      layerExports({ baseUrl, secretKeys, store: configuration.exportStore })
    )
  )

/** People who sign in, whose links lead to where the server listens. */
const layerPeopleOf = ({ configuration, secretKeys }: Process) =>
  Layer.unwrap(
    Effect.map(baseUrlOf(configuration), (baseUrl) =>
      layerPeople({
        ...configuration,
        mail: configuration.outbound.mail !== null,
        baseUrl,
        provider: configuration.oidc,
        secretKeys
      })
    )
  )

/** Runs `ready` once the server listens. */
const layerReady = <E, R>(
  configuration: Configuration,
  ready: (baseUrl: string) => Effect.Effect<void, E, R>
) =>
  Layer.effectDiscard(
    Effect.andThen(Effect.flatMap(baseUrlOf(configuration), ready), Effect.forkScoped(collectStartupGarbage))
  )

/** Sequences what was accepted, when the server has closed. */
const layerSequenceRest = Layer.effectDiscard(
  Effect.flatMap(LogThread, ({ drain }) =>
    Effect.addFinalizer(() => Effect.ignore(Effect.timeout(drain, "10 seconds")))
  )
)

/** Records in the logs, in the background, each loss that was accepted. */
const layerAcceptedLosses = Layer.effectDiscard(
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

/** What records who reads. */
const layerAccess = Layer.provideMerge(AccessEvents.layer, OwedEvents.layer)

/** Takes no new requests once the server is stopped. */
const layerDraining = Layer.effectDiscard(
  Effect.flatMap(Draining, (draining) => Effect.addFinalizer(() => Ref.set(draining, "closed")))
)

/** The HTTP side; a worker only says how it is. */
const layerApp = (configuration: Configuration, { secretKeys }: StartedWith, role: Role) =>
  HttpApp.layer({
    ...configuration,
    secretKeys,
    roles: configuration.oidc?.roles ?? [],
    metricsToken: configuration.metrics.token,
    sampling: configuration.telemetry.traces?.sampling ?? null,
    healthOnly: role === "worker"
  })

/** The server, until its scope ends; `ready` runs once it listens, with its base address. */
export const layerServer = <E, R>(
  configuration: Configuration,
  startedWith: StartedWith,
  role: Role,
  ready: (baseUrl: string) => Effect.Effect<void, E, R>
) => {
  const { host, port, outbound, retentionDelayDays, logOrigin } = configuration
  const { traces: target } = configuration.telemetry
  const process: Process = {
    ...startedWith,
    configuration,
    seen: new SharedArrayBuffer(8),
    // A channel of this server's own, should there be another in the process.
    growth: randomUUID(),
    metrics: randomUUID(),
    traces: target === null ? null : { target, channel: randomUUID() },
    works: role !== "api"
  }
  const { secretKeys, works } = process
  // Finalizers run last first: the server says that it leaves, closes, and what was accepted is sequenced.
  return layerLeaving(configuration.drainSeconds).pipe(
    Layer.provideMerge(layerApp(configuration, startedWith, role)),
    Layer.provideMerge(layerDraining),
    Layer.provideMerge(layerReady(configuration, ready)),
    Layer.provideMerge(layerAcceptedLosses),
    Layer.provideMerge(layerExportLinks(process)),
    Layer.provideMerge(layerPeopleOf(process)),
    Layer.provideMerge(Layer.merge(ViewerPage.layer(configuration.frameAncestors), ConsolePage.layer())),
    Layer.provideMerge(layerDeliveryWorker(process)),
    Layer.provideMerge(NodeServer.layer({ host, port, gracefulShutdownTimeout: GRACE })),
    Layer.provideMerge(layerMetrics(configuration, role, process.metrics)),
    // Requests have ended by then, and what is left of them is still sequenced.
    Layer.provideMerge(layerAccess),
    Layer.provideMerge(works ? layerSequenceRest : Layer.empty),
    Layer.provideMerge(layerHttp(configuration)),
    Layer.provideMerge(Layer.mergeAll(SecretsReadable.layer, ClockLag.layer, LiveCounts.layer)),
    Layer.provideMerge(layerViewerTokens),
    Layer.provideMerge(
      layerManaging({ outbound, secretKeys, retentionDelay: retentionDelayDays * Micros.DAY })
    ),
    Layer.provideMerge(layerAccepting({ ...storageOf(process), retentionDelayDays, logOrigin })),
    Layer.provideMerge(layerLogWorker(process)),
    Layer.provideMerge(Layer.merge(TurnWatch.layer("main"), layerTracing(process.traces))),
    Layer.provideMerge(layerMeters)
  )
}
