import { Api, accessOf, type EndpointName, isChange, permissionFor } from "@cairn/api"
import { Micros } from "@cairn/core/encoding"
import { ExportMaker } from "@cairn/core/export"
import { EventUsage } from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { accesses, idOf, ownEvents, PREFIX, read, withClock } from "./AccessSteps.ts"
import { makeMember, signedIn, signIn } from "./SignedIn.ts"
import { EVENT, makeTenant, send, sequence, testServer } from "./TestServer.ts"

/** Every endpoint of a workspace. */
const ENDPOINTS = Object.values(Api.groups)
  .flatMap((group) => Object.values(group.endpoints))
  .filter(({ identifier }) => permissionFor(identifier) !== null)
  .map(({ identifier, method, path }) => ({ name: identifier, method, path }))

const endpointOf = (name: EndpointName) => {
  const found = ENDPOINTS.find((endpoint) => endpoint.name === name)
  return found ?? assert.fail(`there is no endpoint ${name}`)
}

/** What asks for an endpoint, once everything before it in the list has been asked for. */
interface Step {
  readonly name: EndpointName
  /** The place of an earlier step whose answer made the thing that this one is about. */
  readonly of?: EndpointName
  /** Or what makes it from the id of that thing. */
  readonly body?: unknown
  readonly query?: string
}

const RULE = { name: "r", rule_type: "new_country" }
const STREAM = { name: "s", destination: { type: "https", url: "https://receiver.example.com/" } }

/** Every endpoint, in an order in which each finds what it needs. */
const STEPS: ReadonlyArray<Step> = [
  { name: "ingest", body: EVENT },
  { name: "ingestBatch", body: { events: [EVENT, EVENT] } },
  { name: "listEvents" },
  { name: "countEvents" },
  { name: "eventHistogram" },
  { name: "eventFacets", query: "?field=action" },
  { name: "exportEvents" },
  { name: "liveEvents" },
  { name: "getEvent", of: "ingest" },
  { name: "verify" },
  { name: "getVerification" },
  { name: "checkpoint" },
  { name: "listCheckpoints" },
  { name: "checkpointConsistency", query: "?from=1&to=2" },
  { name: "eventProof", of: "ingest" },
  { name: "eventProofs", of: "ingest", body: (id: string) => ({ ids: [id] }) },
  { name: "closePeriod", body: {} },
  { name: "listAnchors" },
  { name: "getAnchor", of: "closePeriod" },
  { name: "verifyAnchor", of: "closePeriod" },
  { name: "createExport", body: {} },
  { name: "listExports" },
  { name: "getExport", of: "createExport" },
  { name: "downloadExport", of: "createExport" },
  { name: "getViewerSettings" },
  { name: "createViewerToken", body: { tenant_id: "acme" } },
  { name: "createViewerTokenAlias", body: { tenant_id: "acme" } },
  { name: "rotateViewerKey", body: {} },
  { name: "createAlertRule", body: RULE },
  { name: "listAlertRules" },
  { name: "getAlertRule", of: "createAlertRule" },
  { name: "updateAlertRule", of: "createAlertRule", body: { name: "other" } },
  { name: "backtestAlertRule", of: "createAlertRule", body: {} },
  { name: "tryAlertRule", body: RULE },
  { name: "deleteAlertRule", of: "createAlertRule" },
  { name: "listAlerts" },
  { name: "createWebhook", body: { url: "https://receiver.example.com/" } },
  { name: "listWebhooks" },
  { name: "getWebhook", of: "createWebhook" },
  { name: "updateWebhook", of: "createWebhook", body: { url: "https://receiver.example.com/other" } },
  { name: "testWebhook", of: "createWebhook", query: "?wait=1" },
  { name: "rotateWebhookSecret", of: "createWebhook" },
  { name: "listWebhookDeliveries", of: "createWebhook" },
  { name: "listDeliveries" },
  { name: "getDelivery", of: "testWebhook" },
  { name: "redeliver", of: "testWebhook" },
  { name: "deleteWebhook", of: "createWebhook" },
  { name: "createMember", body: { email: "new@example.com", role: "auditor" } },
  { name: "listMembers" },
  { name: "getMember", of: "createMember" },
  { name: "updateMember", of: "createMember", body: { name: "New" } },
  { name: "inviteMember", of: "createMember" },
  { name: "listSessions" },
  { name: "endSession" },
  { name: "endSessions", of: "createMember" },
  { name: "deleteMember", of: "createMember" },
  { name: "createLogStream", body: STREAM },
  { name: "listLogStreams" },
  { name: "getLogStream", of: "createLogStream" },
  { name: "updateLogStream", of: "createLogStream", body: { name: "other" } },
  { name: "pauseLogStream", of: "createLogStream" },
  { name: "resumeLogStream", of: "createLogStream" },
  { name: "testLogStream", of: "createLogStream", query: "?wait=1" },
  { name: "deleteLogStream", of: "createLogStream" },
  { name: "getWorkspace" },
  { name: "updateWorkspace", body: { name: "Renamed" } },
  { name: "getUsage" },
  { name: "createApiKey", body: { name: "k", scopes: ["ingest"] } },
  { name: "listApiKeys" },
  { name: "getApiKey", of: "createApiKey" },
  { name: "revokeApiKey", of: "createApiKey" }
]

/** What the walk does not come by: its test stands where alerts are made. */
const APART: ReadonlyArray<EndpointName> = ["acknowledgeAlert"]

describe("What a person does in a workspace", () => {
  it.live("is an event by that person, and what it reads is one in an hour, for every endpoint", () =>
    Effect.gen(function* () {
      assert.sameMembers(
        [...STEPS.map(({ name }) => name), ...APART],
        ENDPOINTS.map(({ name }) => name)
      )
      const { workspace } = yield* makeTenant()
      const { member, headers } = yield* signedIn(workspace.id, "owner")
      const other = yield* makeMember(workspace.id, "member")
      const elsewhere = yield* signIn(other)
      const entered = yield* send({
        path: `${PREFIX}/events`,
        headers: { ...headers, cookie: `cairn=${elsewhere.secret}` }
      })
      assert.strictEqual(entered.status, 200)
      const made = new Map<EndpointName, string>([["endSession", elsewhere.session.id]])
      const seen = new Set<string>()
      for (const { name, of, body, query = "" } of STEPS) {
        const { method, path } = endpointOf(name)
        const id = made.get(of ?? name) ?? ""
        if (name === "downloadExport") {
          const { advance } = yield* ExportMaker
          while (yield* Effect.orDie(advance));
        }
        const before = (yield* ownEvents(workspace.id)).length
        const target = `${PREFIX}${path.slice(PREFIX.length).replace(/:\w+/, id)}${query}`
        const response = yield* send({
          method,
          path: target,
          headers,
          ...(body === undefined ? {} : { body: typeof body === "function" ? body(id) : body })
        })
        assert.isTrue(response.status >= 200 && response.status < 400, `${name}: ${response.text}`)
        if (name === "ingest") made.set(name, response.json<{ id: string }>().id)
        else if (/^(?:create(?!Viewer)|close|test)/.test(name)) made.set(name, idOf(response.text))
        const fresh = (yield* ownEvents(workspace.id)).slice(before)
        const mine = fresh.filter(({ actor }) => actor.id === member.id && actor.type === "member")
        const kind = accessOf(name)
        const first = kind !== null && !seen.has(kind)
        if (kind !== null) seen.add(kind)
        const [access, others] = [true, false].map((wanted) =>
          mine
            .map(({ action }) => action)
            .filter((action) => action !== "cairn.session.started")
            .filter((action) => action.startsWith("cairn.access.") === wanted)
        )
        assert.deepStrictEqual(access, first ? [`cairn.access.${kind}`] : [], name)
        // An export that is sent at once reads, and is recorded by itself.
        if (isChange(name) || name === "exportEvents") assert.isNotEmpty(others, name)
        else assert.isEmpty(others, name)
      }
      const [download] = (yield* accesses(workspace.id)).filter(({ action }) => action.endsWith(".downloads"))
      assert.deepStrictEqual(download?.resource, {
        type: "export",
        id: made.get("createExport") ?? "",
        name: null
      })
      const sent = [...seen]
      assert.sameMembers(sent, [...new Set(ENDPOINTS.flatMap(({ name }) => accessOf(name) ?? []))])
    }).pipe(Effect.provide(testServer({ mail: true })))
  )
})

describe("Who reads", () => {
  it.live("is in the log before the answer, with who, when, from where, and once an hour", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { workspace } = yield* makeTenant()
        const { member, headers } = yield* signedIn(workspace.id, "auditor", { name: "Ada" })
        // Nothing sequences by itself: what is listed was accepted before the answer came.
        for (let index = 0; index < 3; index++) assert.strictEqual((yield* read({ headers })).status, 200)
        const [event, ...others] = yield* accesses(workspace.id)
        assert.isEmpty(others)
        assert.deepInclude(event, {
          action: "cairn.access.events",
          action_category: "cairn",
          actor: { id: member.id, name: "Ada", type: "member" },
          resource: { type: "log", id: workspace.id, name: null },
          metadata: { hour: "2026-05-01T12:00:00Z" },
          occurred_at: "2026-05-01T12:10:00.000000Z",
          tenant_id: null
        })
        time.advance(50 * Micros.MINUTE)
        assert.strictEqual((yield* read({ headers })).status, 200)
        // Beside the count of the hour before, which is written when it is.
        const later = (yield* accesses(workspace.id)).filter(({ action }) => !action.endsWith(".count"))
        assert.deepStrictEqual(
          later.map(({ action, metadata }) => [action, metadata]),
          [
            ["cairn.access.events", { hour: "2026-05-01T12:00:00Z" }],
            ["cairn.access.events", { hour: "2026-05-01T13:00:00Z" }]
          ]
        )
      })
    )
  )

  it.live("is not in the log where nothing was read", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { headers } = yield* signedIn(workspace.id, "member")
      assert.strictEqual((yield* read({ headers }, "/webhooks")).status, 403)
      assert.strictEqual((yield* read({ headers }, "/events?limit=0")).status, 400)
      assert.strictEqual((yield* read({ headers }, "/events/no-event")).status, 404)
      assert.isEmpty(yield* accesses(workspace.id))
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is in the log where a change that changes nothing shows what is there", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const made = yield* read({ key, body: { url: "https://receiver.example.com/secret" } }, "/webhooks")
      const { headers } = yield* signedIn(workspace.id, "owner")
      const unchanged = yield* read({ headers, method: "PATCH", body: {} }, `/webhooks/${idOf(made.text)}`)
      assert.strictEqual(unchanged.status, 200, unchanged.text)
      assert.deepStrictEqual(
        (yield* accesses(workspace.id)).map(({ action }) => action),
        ["cairn.access.settings"]
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is the tenant of a viewer, whose own events and totals stay what they are", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      for (const tenant_id of ["acme", "acme", "other"])
        assert.strictEqual((yield* read({ key, body: { ...EVENT, tenant_id } })).status, 202)
      const tokenFor = Effect.fnUntraced(function* (scope: object) {
        const made = yield* read({ key, body: scope }, "/viewer-token")
        return made.json<{ token: string }>().token
      })
      const total = Effect.fnUntraced(function* (token: string) {
        yield* sequence
        const listed = yield* read({ key: token }, "/events")
        return listed.json<{ pagination: { total: number } }>().pagination.total
      })
      const first = yield* tokenFor({ tenant_id: "acme" })
      const second = yield* tokenFor({ tenant_id: "acme", actor_id: "ada" })
      const ofActor = yield* tokenFor({ actor_id: "ada" })
      const ofAll = yield* tokenFor({})
      assert.strictEqual(yield* total(first), 2)
      assert.strictEqual(yield* total(second), 2)
      assert.strictEqual(yield* total(ofActor), 3)
      assert.strictEqual(yield* total(ofActor), 3)
      assert.strictEqual(yield* total(ofAll), 3 + 2)
      assert.strictEqual(yield* total(first), 2)
      const events = yield* accesses(workspace.id)
      assert.deepStrictEqual(
        events.map(({ actor, tenant_id, metadata }) => {
          const { hour, ...reader } = { ...metadata }
          assert.match(String(hour), /^\d{4}-\d\d-\d\dT\d\d:00:00Z$/)
          return [actor.type, actor.name, tenant_id, reader]
        }),
        [
          ["viewer", "acme", null, { tenant_id: "acme" }],
          ["viewer", null, null, { scope: "actor" }],
          ["viewer", null, null, {}]
        ]
      )
      assert.lengthOf(new Set(events.map(({ actor }) => actor.id)), 3)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is an API key where the workspace says so, and not unless it does", () =>
    Effect.gen(function* () {
      const { workspace, key, stored } = yield* makeTenant()
      yield* read({ key })
      assert.isEmpty(yield* accesses(workspace.id))
      const on = yield* read({ key, method: "PATCH", body: { key_access_events: true } }, "/workspace")
      assert.strictEqual(on.status, 200, on.text)
      yield* read({ key })
      yield* read({ key })
      const [event, ...others] = yield* accesses(workspace.id)
      assert.isEmpty(others)
      assert.deepInclude(event?.actor, { id: stored.id, type: "api_key" })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("costs nothing of the month's quota, and is read though that is used up", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant({ overrides: { events_per_month: 1 } })
      assert.strictEqual((yield* read({ key, body: EVENT })).status, 202)
      assert.strictEqual((yield* read({ key, body: EVENT })).status, 429)
      const { headers } = yield* signedIn(workspace.id, "member")
      yield* read({ headers })
      const { accepted } = yield* EventUsage
      const month = new Date().toISOString().slice(0, 7)
      const before = yield* accepted(workspace.id, month)
      for (const path of ["/alerts", "/usage", "/checkpoint"])
        assert.strictEqual((yield* read({ headers }, path)).status, 200, path)
      assert.lengthOf(yield* accesses(workspace.id), 4)
      assert.strictEqual(yield* accepted(workspace.id, month), before)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("makes a viewer token by a person an event, and none by a program", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const { member, headers } = yield* signedIn(workspace.id, "developer")
      yield* read({ key, body: { tenant_id: "acme" } }, "/viewer-token")
      yield* read({ headers, body: { tenant_id: "acme" } }, "/viewer-token")
      const made = (yield* ownEvents(workspace.id)).filter(
        ({ action }) => action === "cairn.viewer_token.created"
      )
      assert.lengthOf(made, 1)
      assert.strictEqual(made[0]?.actor.id, member.id)
      assert.deepInclude(made[0]?.metadata, { tenant_id: "acme", is_of_actor: false })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is one event though many read at once", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { headers } = yield* signedIn(workspace.id, "member")
      const answers = yield* Effect.forEach(Array.from({ length: 40 }), () => read({ headers }), {
        concurrency: "unbounded"
      })
      for (const { status } of answers) assert.strictEqual(status, 200)
      assert.lengthOf(yield* accesses(workspace.id), 1)
    }).pipe(Effect.provide(testServer()))
  )
})
