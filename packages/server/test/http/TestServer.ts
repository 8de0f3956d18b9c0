/**
 * The whole HTTP side over a listening socket, for tests: what it answers, and how to make it workspaces and
 * keys.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { type ClientRequest, type IncomingHttpHeaders, request as nodeRequest } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { AccessEvents, OwedEvents } from "@cairn/core/access"
import { AlertConsumer } from "@cairn/core/alert"
import { AnchorChain, Anchoring, AnchorReader, AnchorVerifier } from "@cairn/core/anchor"
import { CheckpointSigner, LogCheckpoints, LogTree } from "@cairn/core/checkpoint"
import { RecentEvents } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { GeoIp } from "@cairn/core/event"
import { AnchorEvidence, EvidenceExport } from "@cairn/core/evidence"
import { SentExports } from "@cairn/core/export"
import { Randomness, Sha256, uuid } from "@cairn/core/hashing"
import {
  Acceptance,
  ClockGuard,
  EventCounts,
  EventFacets,
  EventHistogram,
  EventReader,
  LiveCounts,
  RangeCounts,
  Sequencer,
  Workspaces
} from "@cairn/core/log"
import { ApiKeyManagement, ManagementEvents, UsageReader, WorkspaceManagement } from "@cairn/core/management"
import { layerAlertNotices } from "@cairn/core/outbound"
import { EventProver } from "@cairn/core/proof"
import { ChainVerifier, VerificationStatus } from "@cairn/core/verification"
import {
  type ApiKey,
  ApiKeys,
  DEFAULT_SCOPES,
  generateApiKey,
  type ManagedWorkspace,
  ManagedWorkspaces,
  RETENTION_DELAY,
  type Scope
} from "@cairn/core/workspace"
import { layerEd25519Signers } from "@cairn/storage-sql"
import { testWorkspace } from "@cairn/testing"
import { hashSync } from "bcrypt"
import { Context, Effect, Layer, Logger } from "effect"
import { HttpServer } from "effect/http"
import { ConsolePage } from "../../src/http/endpoints/ConsolePage.ts"
import { ViewerPage } from "../../src/http/endpoints/ViewerPage.ts"
import { Authenticator } from "../../src/http/gate/Authenticator.ts"
import { WorkspaceDirectory } from "../../src/http/gate/WorkspaceDirectory.ts"
import * as HttpApp from "../../src/http/HttpApp.ts"
import { RateLimiter } from "../../src/http/limits/RateLimiter.ts"
import { ClockLag } from "../../src/http/plumbing/ClockLag.ts"
import { Draining } from "../../src/http/plumbing/Draining.ts"
import * as NodeServer from "../../src/http/plumbing/NodeServer.ts"
import * as WriteHealth from "../../src/http/plumbing/WriteHealth.ts"
import { layerExportMaking, layerExports } from "../../src/layers/Exports.ts"
import { layerManaging } from "../../src/layers/Managing.ts"
import { layerMeteredStorage } from "../../src/layers/MeteredStorage.ts"
import { layerMeters } from "../../src/layers/Metrics.ts"
import { layerPeople } from "../../src/layers/People.ts"
import { layerReading } from "../../src/layers/Reading.ts"
import { layerViewerTokens } from "../../src/layers/ViewerTokens.ts"
import { StoreIncidents } from "../../src/loops/StoreIncidents.ts"
import { MetricsReader } from "../../src/metrics/MetricsReader.ts"
import { layerApiKeyHasher } from "../../src/secret/ApiKeyHasher.ts"
import { markedSalt } from "../../src/secret/MarkedSalt.ts"
import { layerSecrets } from "../../src/secret/SecretKeys.ts"
import type { ExportStoreSettings } from "../../src/settings/ExportSettings.ts"
import type { OutboundSettings } from "../../src/settings/OutboundSettings.ts"
import type { OpenIdConnectSettings } from "../../src/settings/SignInSettings.ts"
import { AnchorRequests } from "../../src/thread/AnchorRequests.ts"
import { EventAnswers } from "../../src/thread/EventAnswers.ts"
import { type Ports, storage } from "./Storage.ts"

/** What a test sends. */
export interface Sent {
  readonly method?: string
  /** The request's target, as it stands on the wire. */
  readonly path: string
  readonly key?: string | undefined
  readonly headers?: Record<string, string>
  /** Text or bytes; other values are sent as JSON. */
  readonly body?: unknown
  /** Writes the body by hand; whoever does ends the request. */
  readonly write?: (request: ClientRequest) => void
}

/** What a test gets. */
export interface Received {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly bytes: Uint8Array
  /** The body parsed as JSON. */
  readonly json: <A = Record<string, unknown>>() => A
}

const contentOf = (body: unknown): string | Uint8Array | undefined =>
  body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body)

const exchange = (port: number, { method, path, key, headers, body, write }: Sent): Promise<Received> =>
  new Promise((resolve, reject) => {
    const content = contentOf(body)
    const sent = nodeRequest(
      {
        host: "127.0.0.1",
        port,
        method: method ?? (content === undefined && write === undefined ? "GET" : "POST"),
        path,
        agent: false,
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(content === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        }
      },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("error", reject)
        const isEndless = response.headers["content-type"]?.startsWith("text/event-stream") === true
        const finish = () => {
          const bytes = Buffer.concat(chunks)
          const text = bytes.toString("utf8")
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            bytes,
            json: <A>() => JSON.parse(text) as A
          })
          // What goes on and on is left once it has begun.
          if (isEndless) sent.destroy()
        }
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk)
          if (isEndless) finish()
        })
        response.on("end", finish)
      }
    )
    // A server that refuses a body closes the connection under the client's hands; the answer counts if it
    // came.
    sent.on("error", reject)
    if (write !== undefined) write(sent)
    else sent.end(content)
  })

/** The server under test. */
export class TestServer extends Context.Service<
  TestServer,
  { readonly port: number; readonly send: (sent: Sent) => Effect.Effect<Received> }
>()("@cairn/server/test/TestServer") {}

/** The console as it is shipped. */
const BUILT_CONSOLE = fileURLToPath(new URL("../../bundle/console/", import.meta.url))

/** Where a test differs from the ordinary. */
export interface TestServerOptions {
  readonly config?: Partial<HttpApp.HttpAppConfig>
  readonly inboxCapacity?: number
  /** Whether the service sends mail; what it sends waits in the outbox. */
  readonly mail?: boolean
  /** The identity provider. */
  readonly provider?: OpenIdConnectSettings
  /** The file with the set-up link; none unless it is given. */
  readonly setupFile?: string
  /** Where the page at `/viewer` lies. */
  readonly viewerFolder?: string
  /** Where the console lies, unless where the run's setup built it with the bundle. */
  readonly consoleFolder?: string
  /** Where the files of exports lie, unless in a folder of the test's own. */
  readonly exportStore?: ExportStoreSettings
  /** Takes the server's log, which is silent otherwise. */
  readonly logger?: Logger.Logger<unknown, void>
}

/** Who may embed the page at `/viewer` of a workspace that does not say. */
export const FRAME_ANCESTORS = ["https://app.example.com"]

/** The secret key of the server under test. */
export const SECRET_KEY = Buffer.alloc(32, 7).toString("base64")

/** Plain HTTP to this machine, as to an internal network. */
const OUTBOUND: OutboundSettings = { mail: null, allow: "127.0.0.0/8", http: true, streamFolder: null }

const CONFIG: HttpApp.HttpAppConfig = {
  trustedProxies: [],
  inboxCapacity: 1_000,
  baseUrl: "",
  secretKeys: [SECRET_KEY],
  roles: [],
  linkDelay: 0
}

/** The server, its services and its storage. Nothing sequences by itself: see {@link sequence}. */
export const testServer = (options: TestServerOptions = {}) =>
  testServerOver(storage(options.inboxCapacity), options)

/** The same over a storage of the test's own. */
export const testServerOver = <A>(
  ports: Layer.Layer<A | Ports, never, Sha256>,
  options: TestServerOptions = {}
) => {
  const platform = Layer.mergeAll(Sha256.layer, Randomness.layer, ClockGuard.layer, GeoIp.layerNowhere)
  const useCases = Layer.mergeAll(
    Layer.mergeAll(
      WorkspaceManagement.layer({ retentionDelay: RETENTION_DELAY }),
      ApiKeyManagement.layer
    ).pipe(Layer.provide([ManagementEvents.layer, layerApiKeyHasher]), Layer.provideMerge(Acceptance.layer)),
    EventHistogram.layer.pipe(Layer.provide(EventCounts.layer)),
    EventFacets.layer,
    layerReading,
    AlertConsumer.layer().pipe(Layer.provide([layerAlertNotices({ mail: true }), RecentEvents.layer])),
    layerManaging({ outbound: OUTBOUND, secretKeys: [SECRET_KEY] }).pipe(Layer.provide(Acceptance.layer)),
    ChainVerifier.layer,
    SentExports.layer,
    LiveCounts.layer.pipe(Layer.provide(RangeCounts.layer)),
    AnchorReader.layer,
    Layer.mergeAll(
      AnchorRequests.layer.pipe(
        Layer.provideMerge(
          Layer.unwrap(
            Effect.map(Workspaces, ({ logId }) =>
              Layer.merge(Anchoring.layer({ logId }), AnchorVerifier.layer({ logId }))
            )
          )
        ),
        Layer.provide(AnchorChain.layerNone)
      ),
      EventAnswers.layer.pipe(
        Layer.provide(EventReader.layer.pipe(Layer.provide(EventCounts.layer))),
        Layer.provideMerge(EventProver.layer),
        Layer.provideMerge(LogCheckpoints.layer),
        Layer.provideMerge(CheckpointSigner.layer)
      )
    ).pipe(
      Layer.provideMerge(LogTree.layer),
      Layer.provide([layerEd25519Signers, layerSecrets([SECRET_KEY])])
    ),
    Sequencer.layer,
    layerViewerTokens.pipe(Layer.provide(Acceptance.layer), Layer.provide(layerSecrets([SECRET_KEY]))),
    AccessEvents.layer.pipe(Layer.provideMerge(OwedEvents.layer), Layer.provide(Acceptance.layer)),
    UsageReader.layer,
    VerificationStatus.layer,
    Authenticator.layer.pipe(Layer.provide(layerApiKeyHasher)),
    WorkspaceDirectory.layer,
    RateLimiter.layer,
    Draining.layer
  )
  const exports = Layer.unwrap(
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const port = "port" in address ? address.port : 0
      const path = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn-exports-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
      )
      const config = {
        baseUrl: `http://127.0.0.1:${port}`,
        secretKeys: [SECRET_KEY],
        store: options.exportStore ?? { kind: "folder", path }
      } as const
      return Layer.merge(
        layerExports(config).pipe(Layer.provide(Acceptance.layer)),
        layerExportMaking(config).pipe(
          Layer.provide(EvidenceExport.layer),
          Layer.provide(AnchorEvidence.layer),
          Layer.provide(AnchorChain.layerNone)
        )
      )
    })
  )
  const people = Layer.unwrap(
    Effect.map(HttpServer.HttpServer, ({ address }) =>
      layerPeople({
        sessionIdleMinutes: 8 * 60,
        sessionHours: 7 * 24,
        mail: options.mail ?? false,
        provider: options.provider ?? null,
        setupFile: options.setupFile ?? null,
        secretKeys: [SECRET_KEY],
        baseUrl: options.config?.baseUrl || `http://127.0.0.1:${"port" in address ? address.port : 0}`
      })
    )
  ).pipe(Layer.provide([Acceptance.layer, layerSecrets([SECRET_KEY])]))
  const http = NodeServer.layer({
    port: 0,
    host: "127.0.0.1",
    disablePreemptiveShutdown: true
  })
  return Layer.effect(
    TestServer,
    Effect.map(HttpServer.HttpServer, ({ address }) => {
      const port = "port" in address ? address.port : 0
      return TestServer.of({ port, send: (sent) => Effect.promise(() => exchange(port, sent)) })
    })
  ).pipe(
    Layer.provideMerge(HttpApp.layer({ ...CONFIG, ...options.config })),
    Layer.provideMerge(exports),
    Layer.provideMerge(people),
    Layer.provideMerge(ViewerPage.layer(FRAME_ANCESTORS, options.viewerFolder)),
    Layer.provideMerge(ConsolePage.layer(options.consoleFolder ?? BUILT_CONSOLE)),
    Layer.provideMerge(http),
    Layer.provideMerge(useCases),
    Layer.provideMerge(
      MetricsReader.layer({
        channel: "no threads",
        threads: [],
        inboxCapacity: options.inboxCapacity ?? 1_000
      })
    ),
    Layer.provideMerge(Layer.merge(WriteHealth.layer, ClockLag.layer)),
    Layer.provideMerge(StoreIncidents.layer),
    Layer.provideMerge(layerMeteredStorage.pipe(Layer.provideMerge(ports))),
    Layer.provideMerge(platform),
    Layer.provideMerge(layerMeters),
    Layer.provide(Logger.layer(options.logger === undefined ? [] : [options.logger]))
  )
}

/** Sends one request. */
export const send = (sent: Sent) => Effect.flatMap(TestServer, (server) => server.send(sent))

/** Gives what waits its place in the chain. */
export const sequence = Effect.flatMap(Sequencer, ({ drain }) => Effect.orDie(drain))

/** Makes a workspace, on the plan without limits by default. */
export const makeWorkspace = Effect.fnUntraced(function* (settings: Partial<ManagedWorkspace> = {}) {
  const workspace: ManagedWorkspace = testWorkspace({
    id: `wsp_${uuid(yield* Randomness)}`,
    created_at: yield* Micros.now,
    ...settings
  })
  yield* Effect.orDie((yield* ManagedWorkspaces).create(workspace))
  return workspace
})

/** The cheapest bcrypt there is: tests make many keys. */
const COST = 4

/** Makes a key, with the scopes of an ordinary one by default. */
export const makeKey = Effect.fnUntraced(function* (
  workspaceId: string,
  scopes: ReadonlyArray<Scope> = DEFAULT_SCOPES,
  settings: Partial<ApiKey> = {}
) {
  const random = yield* Randomness
  const { key, publicId } = generateApiKey(random)
  const stored: ApiKey = {
    id: `key_${uuid(random)}`,
    public_id: publicId,
    workspace_id: workspaceId,
    name: null,
    scopes,
    hash: hashSync(key, markedSalt(key, COST)),
    created_at: yield* Micros.now,
    last_used_at: null,
    expires_at: null,
    revoked_at: null,
    created_by: null,
    ...settings
  }
  yield* Effect.orDie((yield* ApiKeys).create(stored))
  return { key, stored }
})

/** A workspace and a key that may do everything. */
export const makeTenant = Effect.fnUntraced(function* (settings: Partial<ManagedWorkspace> = {}) {
  const workspace = yield* makeWorkspace(settings)
  const { key, stored } = yield* makeKey(workspace.id, [...DEFAULT_SCOPES, "admin"])
  return { workspace, key, stored }
})

/** The smallest event there is. */
export const EVENT = { actor_id: "ada", action: "document.created" }
