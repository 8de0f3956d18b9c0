/** An ordinary HTTP service that keeps its own audit log: who renamed which project, and proof that nobody edited the record. */
import { createServer } from "node:http"
import {
  Acceptance,
  auditLog,
  ChainVerifier,
  EventReader,
  GeoIp,
  ManagedWorkspaces,
  Sequencer
} from "@cairn/core"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { Effect, Layer, ManagedRuntime, Option } from "effect"

const workspaceId = "wsp_projects"
const storage = SqliteStorage.layer({ filename: process.env.AUDIT_DB ?? "data/audit.db" })
const audit = ManagedRuntime.make(auditLog.pipe(Layer.provideMerge(Layer.merge(storage, GeoIp.layerNowhere))))

const prepare = Effect.gen(function* () {
  const workspaces = yield* ManagedWorkspaces
  if (Option.isSome(yield* workspaces.get(workspaceId))) return
  yield* workspaces.create({
    id: workspaceId,
    name: "Projects",
    plan: "enterprise",
    overrides: {},
    retention: { days: null, own_hold: null, plan_hold: null },
    ip_allowlist: [],
    viewer_frame_ancestors: null,
    anchor_schedule: null,
    created_at: Date.now() * 1000
  })
})

/** On disk when it returns, and in the chain. */
const record = Effect.fnUntraced(function* (event: object) {
  yield* (yield* Acceptance).one({ workspaceId, clientAddress: null, keysExpireBefore: null }, event)
  yield* (yield* Sequencer).drain
})

const history = Effect.flatMap(EventReader, ({ list }) =>
  list({ workspaceId, filter: {}, before: null, limit: 100, visibleFrom: null })
)
const verification = Effect.flatMap(ChainVerifier, ({ verify }) => verify({ workspaceId, limit: 100_000 }))

await audit.runPromise(prepare)
const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
  const answer = (body: unknown) =>
    response.setHeader("Content-Type", "application/json").end(JSON.stringify(body))
  if (pathname === "/audit") return answer(await audit.runPromise(history))
  if (pathname === "/audit/verify") return answer(await audit.runPromise(verification))
  const [name, user] = [searchParams.get("name") ?? "", request.headers["x-user"]?.toString() ?? "anonymous"]
  await audit.runPromise(
    record({ actor_id: user, action: "project.renamed", resource: "project", metadata: { name } })
  )
  answer({ name })
})
server.listen(Number(process.env.PORT ?? 3000), () => console.log("listening on", server.address()))
