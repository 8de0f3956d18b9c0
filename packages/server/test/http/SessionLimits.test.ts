/** What a session costs, and what it must not reveal or reach. */
import { Micros } from "@cairn/core/encoding"
import { ManagementEvents, MemberManagement } from "@cairn/core/management"
import { Sessions, SignIn } from "@cairn/core/people"
import { ManagedWorkspaces, Members, VIEWER_TTL } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Result } from "effect"
import { WorkspaceDirectory } from "../../src/http/gate/WorkspaceDirectory.ts"
import { browserWith, makeMember, signedIn, signIn } from "./SignedIn.ts"
import { makeTenant, send, testServer } from "./TestServer.ts"

const EVENTS = "/api/v1/events"
const KEYS = "/api/v1/api-keys"
const ME = "/api/v1/me"

const asOwner = { id: "mem_x", name: null, type: "member", address: null } as const

describe("The sessions of a person", () => {
  it.live("are fifty at most: the oldest end", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { member, person, session } = yield* signedIn(workspace.id, "member")
      const second = yield* signIn(member)
      for (let count = 2; count < 50; count++) yield* signIn(member)
      const { ofPerson } = yield* Sessions
      assert.lengthOf(yield* ofPerson(person.id), 50)
      yield* signIn(member)
      const left = yield* ofPerson(person.id)
      assert.lengthOf(left, 50)
      assert.notInclude(
        left.map(({ id }) => id),
        session.id
      )
      assert.include(
        left.map(({ id }) => id),
        second.session.id
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("end together with the links that would begin others", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { member, headers } = yield* signedIn(workspace.id, "member")
      const signing = yield* SignIn
      for (const path of [`${ME}/sessions?keep=current`, `${ME}/sessions`]) {
        const { secret } = Option.getOrThrow(yield* signing.operatorLink(member.email))
        assert.strictEqual((yield* send({ method: "DELETE", path, headers })).status, 200)
        const refused = yield* Effect.flip(signing.byLink(secret, { clientAddress: null, userAgent: null }))
        assert.deepInclude(refused, { reason: "link_spent" })
      }
      assert.strictEqual((yield* send({ path: ME, headers })).status, 401)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("have one limit of requests together", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const first = yield* signedIn(workspace.id, "member")
      const headers = browserWith((yield* signIn(first.member)).secret, workspace.id)
      const remaining = (of: Record<string, string>) =>
        Effect.map(send({ path: ME, headers: of }), (answer) =>
          Number(/r=(\d+)/.exec(String(answer.headers.ratelimit))?.[1])
        )
      const one = yield* remaining(first.headers)
      assert.isBelow(yield* remaining(headers), one)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("are not for requests with an Authorization of another kind", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const { headers } = yield* signedIn(workspace.id, "member")
      assert.strictEqual((yield* send({ path: ME, headers, key })).status, 401)
      assert.strictEqual(
        (yield* send({ path: ME, headers: { ...headers, authorization: "Basic x" } })).status,
        401
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("are shown to admins without when they were last used, which may have been elsewhere", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { headers } = yield* signedIn(workspace.id, "owner")
      yield* send({ path: EVENTS, headers })
      const [shown] = (yield* send({ path: "/api/v1/sessions", headers })).json<{
        data: ReadonlyArray<object>
      }>().data
      assert.containsAllKeys(shown, ["entered_at", "member_id"])
      assert.doesNotHaveAnyKeys(shown, ["last_used_at"])
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A workspace", () => {
  it.live("counts what its people change, and not what they read, against its requests of a minute", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant({ overrides: { requests_per_minute: 3 } })
      const { headers } = yield* signedIn(workspace.id, "owner")
      for (let reads = 0; reads < 5; reads++)
        assert.strictEqual((yield* send({ path: EVENTS, headers })).status, 200)
      const change = send({ path: KEYS, headers, body: {} })
      for (let changes = 0; changes < 3; changes++) assert.strictEqual((yield* change).status, 201)
      assert.strictEqual((yield* change).status, 429)
      assert.strictEqual((yield* send({ path: EVENTS, key })).status, 429)
      assert.strictEqual((yield* send({ path: EVENTS, headers })).status, 200)
    }).pipe(Effect.provide(testServer()))
  )

  it.live(
    "takes nothing from outside its allowlist: no entry, and no word that an address is confirmed",
    () =>
      Effect.gen(function* () {
        const { workspace } = yield* makeTenant()
        const now = yield* Micros.now
        yield* (yield* ManagedWorkspaces).update(workspace.id, { ip_allowlist: ["192.0.2.0/24"] }, now)
        ;(yield* WorkspaceDirectory).forget(workspace.id)
        const { headers, session } = yield* signedIn(workspace.id, "admin", { confirmed_at: null })
        assert.strictEqual((yield* send({ path: EVENTS, headers })).status, 403)
        assert.deepStrictEqual(yield* (yield* Sessions).entry(session.id, workspace.id), Option.none())
        const [member] = yield* (yield* Members).list(workspace.id)
        assert.isNull(member?.confirmed_at)
      }).pipe(Effect.provide(testServer()))
  )

  it.live("is not shut to the person who changes its allowlist", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { headers } = yield* signedIn(workspace.id, "owner")
      const set = (ip_allowlist: ReadonlyArray<string>) =>
        send({ method: "PATCH", path: "/api/v1/workspace", headers, body: { ip_allowlist } })
      const refused = yield* set(["192.0.2.0/24"])
      assert.strictEqual(refused.status, 422, refused.text)
      assert.match(refused.text, /127\.0\.0\.1/)
      assert.strictEqual((yield* set(["192.0.2.0/24", "127.0.0.1"])).status, 200)
      assert.strictEqual((yield* send({ path: EVENTS, headers })).status, 200)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("What a member makes whose access ends", () => {
  it.live("ends by then too: keys and viewer tokens", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const end = (yield* Micros.now) + 90 * Micros.SECOND
      const { headers, member } = yield* signedIn(workspace.id, "developer", { expires_at: end })
      const create = (body: object) => send({ path: KEYS, headers, body })
      const made = yield* create({})
      const { data } = made.json<{ data: { expires_at: string; created_by: string } }>()
      assert.deepInclude(data, { expires_at: Micros.format(end), created_by: member.id })
      const later = yield* create({ expires_at: Micros.format(end + 1) })
      assert.strictEqual(later.status, 422, later.text)
      assert.match(later.text, /expires_at: must not be after your own access ends/)
      const sooner = Micros.format(end - Micros.SECOND)
      assert.deepInclude((yield* create({ expires_at: sooner })).json<{ data: object }>().data, {
        expires_at: sooner
      })
      const token = yield* send({
        path: "/api/v1/viewer-token",
        headers,
        body: { ttl: VIEWER_TTL.maximum }
      })
      const { expires_at } = token.json<{ expires_at: number }>()
      assert.isAtMost(expires_at * Micros.SECOND, end)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("says who made it for everybody else's too", () =>
    Effect.gen(function* () {
      const { key, stored } = yield* makeTenant()
      const made = yield* send({ path: KEYS, key, body: {} })
      const { data } = made.json<{ data: { id: string; created_by: string; expires_at: null } }>()
      assert.deepInclude(data, { created_by: stored.id, expires_at: null })
      const shown = yield* send({ path: `${KEYS}/${data.id}`, key })
      assert.deepInclude(shown.json<{ data: object }>().data, { created_by: stored.id })
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A member who is made an owner at that moment", () => {
  /** Members are made owners while their change is recorded, as another process may do it. */
  const promoting = Layer.effect(
    ManagementEvents,
    Effect.map(Members, (members) =>
      ManagementEvents.of({
        record: (_, { workspaceId, resource }) =>
          members
            .modify(workspaceId, resource.id, (before) =>
              Result.succeed({ ...before, role: "owner" as const })
            )
            .pipe(Effect.as({ id: "evt_1" } as never))
      })
    )
  )
  const management = Effect.provide(
    MemberManagement,
    Layer.fresh(MemberManagement.layer({ retentionDelay: 0 })).pipe(Layer.provide(promoting))
  )

  it.live("is not changed, removed or signed out by who is below owners", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      yield* makeMember(workspace.id, "owner")
      const { change, remove, endSessions } = yield* management
      const admin = yield* makeMember(workspace.id, "admin")
      const asAdmin = { ...asOwner, id: admin.id, isBelowOwners: true }
      for (const [name, act] of [
        ["change", (id: string) => change(asAdmin, workspace.id, id, { name: "x" })],
        ["remove", (id: string) => remove(asAdmin, workspace.id, id)],
        ["sign out", (id: string) => endSessions(asAdmin, workspace.id, id)]
      ] as const) {
        const member = yield* makeMember(workspace.id, "member")
        const error = yield* Effect.flip(act(member.id))
        assert.strictEqual(error._tag, "NotAllowed", name)
        const after = Option.getOrThrow(yield* (yield* Members).get(workspace.id, member.id))
        assert.deepInclude(after, { role: "owner", name: null, sessions_from: null })
      }
    }).pipe(Effect.provide(testServer()))
  )
})
