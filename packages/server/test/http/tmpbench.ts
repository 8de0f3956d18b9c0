import { createServer } from "node:http"
import { Acceptance, Randomness, Sha256, ClockGuard, EventReader, EventCounts, ChainVerifier, Workspaces, ApiKeys, EventLog, Inbox } from "@cairn/core"
import { MemoryStorage } from "@cairn/testing"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Effect, Layer, Option, Schedule } from "effect"
import { HttpServer } from "effect/http"
import { HttpRouter } from "effect/http"
import { Authenticator } from "../../src/http/Authenticator.ts"
import { Draining, makeHttpApp } from "../../src/http/HttpApp.ts"
import { RateLimiter } from "../../src/http/RateLimiter.ts"
import { WorkspaceDirectory } from "../../src/http/WorkspaceDirectory.ts"
import { ApiKeyManagement } from "../../src/management/ApiKeyManagement.ts"
import { ManagementEvents, COMMAND_LINE } from "../../src/management/ManagementEvent.ts"
import { WorkspaceManagement } from "../../src/management/WorkspaceManagement.ts"

const mode = process.argv[2]
if (mode === "bare") {
  createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on("data", (c) => chunks.push(c))
    req.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString())
      res.writeHead(202, { "content-type": "application/json" })
      res.end('{"id":"bf3dbe33-0ad2-4c9c-9c9e-733e57bdcbee","status":"queued"}')
    })
  }).listen(9100, () => console.log("ready"))
} else {
  const nullInbox = Layer.succeed(Inbox, Inbox.of({
    accept: (r) => Effect.succeed(r.events.map((e) => ({ id: e.id, duplicate: false }))),
    find: () => Effect.succeed(Option.none()),
    depth: Effect.succeed(0)
  }))
  const storage = nullInbox.pipe(Layer.provideMerge(MemoryStorage.layer()))
  const platform = Layer.mergeAll(Sha256.layer, Randomness.layer, ClockGuard.layer)
  const base = Layer.mergeAll(
    Layer.mergeAll(WorkspaceManagement.layer, ApiKeyManagement.layer).pipe(Layer.provide(ManagementEvents.layer), Layer.provideMerge(Acceptance.layer)),
    EventReader.layer.pipe(Layer.provide(EventCounts.layer)), ChainVerifier.layer,
    Authenticator.layer, WorkspaceDirectory.layer, RateLimiter.layer, Draining.layer
  ).pipe(Layer.provideMerge(Layer.merge(storage, platform)))
  const app = mode === "router" ? HttpRouter.serve(HttpRouter.use(Effect.fnUntraced(function* (router) {
    const app = yield* makeHttpApp({ trustedProxies: [], inboxCapacity: 1000 } as never)
    yield* router.add("*", "/*", app)
  })), { disableLogger: true, disableListenLog: true }) : Layer.unwrap(Effect.map(makeHttpApp({ trustedProxies: [], inboxCapacity: 1000 } as never), (a) => HttpServer.serve(a)))
  const print = Layer.effectDiscard(Effect.gen(function* () {
    const ws = yield* (yield* WorkspaceManagement).create(COMMAND_LINE, { name: "x" })
    const { key } = yield* (yield* ApiKeyManagement).create(COMMAND_LINE, { workspaceId: ws.id, name: null, scopes: undefined, expiresAt: null })
    console.log("ready " + key)
  }))
  app.pipe(Layer.provideMerge(print), Layer.provideMerge(base), Layer.provideMerge(NodeHttpServer.layer(() => createServer(), { port: 9100 })), Layer.launch, NodeRuntime.runMain)
}
