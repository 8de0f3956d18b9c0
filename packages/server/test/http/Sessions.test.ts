import { Micros } from "@cairn/core/encoding"
import { ManagedWorkspaces, Members } from "@cairn/core/workspace"
import { manualClock } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { WorkspaceDirectory } from "../../src/http/gate/WorkspaceDirectory.ts"
import { browserWith, makeMember, signedIn, signIn } from "./SignedIn.ts"
import { standing } from "./StandingClock.ts"
import { makeTenant, makeWorkspace, send, sequence, testServer } from "./TestServer.ts"

const EVENTS = "/api/v1/events"
const ME = "/api/v1/me"

interface Me {
  readonly data: {
    readonly email: string
    readonly session: { readonly id: string; readonly current: boolean }
    readonly sign_in: { readonly mail: boolean; readonly provider: string | null }
    readonly memberships: ReadonlyArray<{
      readonly workspace: { readonly id: string }
      readonly role: string
      readonly permissions: ReadonlyArray<string>
    }>
  }
}

interface Listed {
  readonly data: ReadonlyArray<{
    readonly id: string
    readonly member_id?: string
    readonly current?: boolean
  }>
}

describe("A person with a session", () => {
  it.live("sees who it is, and reads each of its workspaces by its id", () =>
    Effect.gen(function* () {
      const mine = yield* makeTenant()
      const second = yield* makeTenant()
      const theirs = yield* makeTenant()
      const { headers, member, secret } = yield* signedIn(mine.workspace.id, "developer")
      yield* makeMember(second.workspace.id, "member", { email: member.email.toUpperCase() })
      const { data } = (yield* send({ path: ME, headers })).json<Me>()
      assert.strictEqual(data.email, member.email)
      assert.isTrue(data.session.current)
      assert.deepStrictEqual(data.sign_in, { mail: false, provider: null })
      assert.deepStrictEqual(
        data.memberships.map(({ workspace, role }) => [workspace.id, role]),
        [
          [mine.workspace.id, "developer"],
          [second.workspace.id, "member"]
        ]
      )
      const read = (workspaceId: string) => send({ path: EVENTS, headers: browserWith(secret, workspaceId) })
      assert.strictEqual((yield* read(mine.workspace.id)).status, 200)
      assert.strictEqual((yield* read(second.workspace.id)).status, 200)
      const foreign = yield* read(theirs.workspace.id)
      const unknown = yield* read("wsp_00000000-0000-4000-8000-000000000000")
      assert.strictEqual(foreign.status, 403)
      assert.strictEqual(foreign.text, unknown.text)
      const { "x-cairn-workspace": _, ...without } = headers
      const unnamed = yield* send({ path: EVENTS, headers: without })
      assert.strictEqual(unnamed.status, 400)
      assert.match(String(unnamed.json().message), /^X-Cairn-Workspace: /)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("learns whether the service sends invitations by mail", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { headers } = yield* signedIn(workspace.id, "owner")
      const { data } = (yield* send({ path: ME, headers })).json<Me>()
      assert.deepStrictEqual(data.sign_in, { mail: true, provider: null })
    }).pipe(Effect.provide(testServer({ mail: true })))
  )

  it.live("changes nothing from a page of another origin, nor from none", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { secret } = yield* signedIn(workspace.id, "owner")
      const { cookie = "", "x-cairn-workspace": id = "" } = browserWith(secret, workspace.id)
      const post = (headers: Record<string, string>) =>
        send({
          path: "/api/v1/api-keys",
          headers: { cookie, "x-cairn-workspace": id, host: "127.0.0.1:8787", ...headers },
          body: {}
        })
      for (const headers of [
        {},
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "none" },
        { "sec-fetch-site": "cross-site", origin: "http://127.0.0.1:8787" },
        { origin: "https://evil.example" },
        { origin: "http://127.0.0.1:8788" },
        { origin: "https://127.0.0.1:8787" },
        { origin: "null" }
      ]) {
        const response = yield* post(headers as Record<string, string>)
        assert.strictEqual(response.status, 403, JSON.stringify(headers))
        assert.strictEqual(response.json().error, "cross_origin")
      }
      assert.strictEqual((yield* post({ "sec-fetch-site": "same-origin" })).status, 201)
      assert.strictEqual((yield* post({ origin: "http://127.0.0.1:8787" })).status, 201)
    }).pipe(Effect.provide(testServer()))
  )

  it.live(
    "is taken by its cookie on this machine alone, and by the one of https where the service is there",
    () =>
      Effect.gen(function* () {
        const { workspace } = yield* makeTenant()
        const { secret } = yield* signedIn(workspace.id, "owner")
        const ask = (cookie: string, host: string) => send({ path: ME, headers: { cookie, host } })
        for (const host of ["localhost:8787", "127.0.0.1", "[::1]:80", "cairn.localhost"])
          assert.strictEqual((yield* ask(`a=b; cairn=${secret}; c=d`, host)).status, 200, host)
        for (const host of [
          "audit.example.com",
          "localhost.example.com",
          "127.0.0.1.example.com",
          "10.0.0.1"
        ])
          assert.strictEqual((yield* ask(`cairn=${secret}`, host)).status, 401, host)
        assert.strictEqual((yield* ask(`__Host-cairn=${secret}`, "localhost")).status, 401)
        assert.strictEqual((yield* ask(`xcairn=${secret}`, "localhost")).status, 401)
      }).pipe(Effect.provide(testServer()))
  )

  it.live("is taken over https by its __Host- cookie alone", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { secret } = yield* signedIn(workspace.id, "owner")
      const ask = (cookie: string) => send({ path: ME, headers: { cookie, host: "audit.example.com" } })
      assert.strictEqual((yield* ask(`__Host-cairn=${secret}`)).status, 200)
      assert.strictEqual((yield* ask(`cairn=${secret}`)).status, 401)
    }).pipe(Effect.provide(testServer({ config: { baseUrl: "https://audit.example.com" } })))
  )

  it.live("has an API key come before its cookie", () =>
    Effect.gen(function* () {
      const mine = yield* makeTenant()
      const other = yield* makeTenant()
      const { headers } = yield* signedIn(mine.workspace.id, "member")
      const response = yield* send({ path: "/api/v1/workspace", key: other.key, headers })
      assert.strictEqual(response.json<{ data: { id: string } }>().data.id, other.workspace.id)
      const wrong = yield* send({ path: EVENTS, key: "cairn_wrong", headers })
      assert.strictEqual(wrong.status, 401)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is held to the workspace's allowlist", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { headers } = yield* signedIn(workspace.id, "owner")
      const now = yield* Micros.now
      yield* (yield* ManagedWorkspaces).update(workspace.id, { ip_allowlist: ["192.0.2.0/24"] }, now)
      ;(yield* WorkspaceDirectory).forget(workspace.id)
      const response = yield* send({ path: EVENTS, headers })
      assert.strictEqual(response.status, 403)
      assert.strictEqual(response.json().error, "ip_not_allowed")
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A session", () => {
  it.live("ends where its person ends it, one or all", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const first = yield* signedIn(workspace.id, "member")
      const second = yield* signIn(first.member)
      const third = yield* signIn(first.member)
      const headers = browserWith(third.secret, workspace.id)
      const list = send({ path: `${ME}/sessions`, headers })
      assert.deepStrictEqual(
        (yield* list).json<Listed>().data.map(({ id, current }) => [id, current]),
        [
          [third.session.id, true],
          [second.session.id, false],
          [first.session.id, false]
        ]
      )
      const end = (id: string) => send({ method: "DELETE", path: `${ME}/sessions/${id}`, headers })
      assert.strictEqual((yield* end(first.session.id)).status, 200)
      assert.strictEqual((yield* end(first.session.id)).status, 404)
      assert.strictEqual((yield* send({ path: ME, headers: first.headers })).status, 401)
      const ended = yield* send({ method: "DELETE", path: `${ME}/sessions?keep=current`, headers })
      assert.deepStrictEqual(ended.json(), { data: { ended: 1 } })
      assert.strictEqual((yield* send({ path: ME, headers })).status, 200)
      assert.strictEqual((yield* send({ method: "DELETE", path: `${ME}/sessions`, headers })).status, 200)
      const over = yield* send({ path: ME, headers })
      assert.strictEqual(over.status, 401)
      assert.strictEqual(over.json().message, "The session was ended; sign in again")
    }).pipe(Effect.provide(testServer()))
  )

  it.live("of another person is not one's own to end, nor to see", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const ada = yield* signedIn(workspace.id, "member")
      const eve = yield* signedIn(workspace.id, "member")
      const path = `${ME}/sessions/${ada.session.id}`
      assert.strictEqual((yield* send({ method: "DELETE", path, headers: eve.headers })).status, 404)
      assert.strictEqual((yield* send({ path: ME, headers: ada.headers })).status, 200)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("ends for a workspace where its admins end it, and goes on for others", () =>
    Effect.gen(function* () {
      const mine = yield* makeTenant()
      const other = yield* makeTenant()
      const ada = yield* signedIn(mine.workspace.id, "member")
      yield* makeMember(other.workspace.id, "member", { email: ada.member.email })
      const elsewhere = browserWith(ada.secret, other.workspace.id)
      const admin = yield* signedIn(mine.workspace.id, "admin")
      const stranger = yield* signedIn(other.workspace.id, "admin")
      const list = (headers: Record<string, string>) =>
        Effect.map(send({ path: "/api/v1/sessions", headers }), (answer) =>
          answer.json<Listed>().data.map(({ id }) => id)
        )
      // Nothing is said of a session that the workspace was not entered with.
      assert.deepStrictEqual(yield* list(stranger.headers), [stranger.session.id])
      assert.strictEqual((yield* send({ path: EVENTS, headers: ada.headers })).status, 200)
      assert.sameMembers(yield* list(admin.headers), [admin.session.id, ada.session.id])
      const path = `/api/v1/sessions/${ada.session.id}`
      assert.strictEqual((yield* send({ method: "DELETE", path, headers: stranger.headers })).status, 404)
      assert.strictEqual((yield* send({ method: "DELETE", path, headers: admin.headers })).status, 200)
      assert.strictEqual((yield* send({ path: EVENTS, headers: ada.headers })).status, 401)
      assert.strictEqual((yield* send({ path: EVENTS, headers: elsewhere })).status, 200)
      assert.deepStrictEqual(yield* list(admin.headers), [admin.session.id])
      yield* sequence
      const told = yield* send({ path: `${EVENTS}?action=cairn.session.ended`, key: mine.key })
      assert.deepInclude(told.json<{ data: ReadonlyArray<object> }>().data[0], {
        actor: { id: admin.member.id, name: admin.member.email, type: "member" },
        metadata: { sessions: ada.session.id }
      })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("ends for a workspace with another role, a removal or an end by the admins, entered or not", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      for (const [method, suffix, body] of [
        ["PATCH", "", { role: "auditor" }],
        ["DELETE", "", undefined]
      ] as const) {
        const ada = yield* signedIn(workspace.id, "developer")
        const unused = yield* signIn(ada.member)
        assert.strictEqual((yield* send({ path: EVENTS, headers: ada.headers })).status, 200)
        const path = `/api/v1/members/${ada.member.id}${suffix}`
        assert.strictEqual((yield* send({ method, path, key, ...(body && { body }) })).status, 200)
        for (const secret of [ada.secret, unused.secret]) {
          const response = yield* send({ path: EVENTS, headers: browserWith(secret, workspace.id) })
          assert.strictEqual(response.status, method === "DELETE" ? 403 : 401, response.text)
        }
        if (method === "DELETE") continue
        const again = yield* signIn(ada.member)
        const headers = browserWith(again.secret, workspace.id)
        assert.strictEqual((yield* send({ path: EVENTS, headers })).status, 200)
        assert.strictEqual((yield* send({ path: "/api/v1/webhooks", headers, body: {} })).status, 403)
      }
      const bob = yield* signedIn(workspace.id, "member")
      const ended = yield* send({
        method: "DELETE",
        path: `/api/v1/members/${bob.member.id}/sessions`,
        key
      })
      assert.strictEqual(ended.status, 200, ended.text)
      assert.strictEqual((yield* send({ path: EVENTS, headers: bob.headers })).status, 401)
      assert.strictEqual((yield* send({ path: ME, headers: bob.headers })).status, 200)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("has the role that its member has now", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { headers, member } = yield* signedIn(workspace.id, "admin")
      assert.strictEqual((yield* send({ path: "/api/v1/sessions", headers })).status, 200)
      // As another process would change it that knows of no sessions.
      yield* (yield* Members).modify(workspace.id, member.id, (before) =>
        Result.succeed({ ...before, role: "member" as const })
      )
      assert.strictEqual((yield* send({ path: "/api/v1/sessions", headers })).status, 403)
    }).pipe(Effect.provide(testServer()))
  )
})

const withClock = <A, E, R>(test: (time: ReturnType<typeof manualClock>) => Effect.Effect<A, E, R>) => {
  const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)
  return test(time).pipe(
    Effect.provide(testServer()),
    Effect.provideService(Clock.Clock, standing(time.clock))
  )
}

describe("The time of a session", () => {
  it.live("is over after eight hours without a use, and after a week with all of them", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { workspace } = yield* makeTenant()
        const idle = yield* signedIn(workspace.id, "member")
        const used = yield* signedIn(workspace.id, "member")
        const ask = (headers: Record<string, string>) =>
          Effect.map(send({ path: ME, headers }), (answer) =>
            answer.status === 200 ? "valid" : String(answer.json().message)
          )
        for (let hours = 0; hours < 7 * 24; hours += 7) {
          assert.strictEqual(yield* ask(used.headers), "valid", String(hours))
          time.advance(7 * 60 * Micros.MINUTE)
        }
        assert.strictEqual(yield* ask(used.headers), "The session has expired; sign in again")
        assert.strictEqual(yield* ask(idle.headers), "The session has expired; sign in again")
        const third = yield* signedIn(workspace.id, "member")
        time.advance(8 * 60 * Micros.MINUTE)
        assert.match(yield* ask(third.headers), /not used for too long/)
      })
    )
  )

  it.live("ends with the membership, to the moment, for this workspace", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { workspace } = yield* makeTenant()
        const now = yield* Micros.now
        const { headers } = yield* signedIn(workspace.id, "auditor", { expires_at: now + Micros.MINUTE })
        assert.strictEqual((yield* send({ path: EVENTS, headers })).status, 200)
        time.advance(Micros.MINUTE)
        assert.strictEqual((yield* send({ path: EVENTS, headers })).status, 403)
        const me = (yield* send({ path: ME, headers })).json<Me>()
        assert.deepStrictEqual(me.data.memberships, [])
      })
    )
  )

  it.live("is not longer for a clock that was wrong when it began", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        time.advance(Micros.DAY)
        const { headers } = yield* signedIn(workspace.id, "member")
        time.advance(-Micros.DAY)
        assert.strictEqual((yield* send({ path: ME, headers })).status, 401)
      })
    )
  )
})

describe("A request that says whom its page shows", () => {
  it.live("changes and tells nothing once somebody else has signed in in the browser", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const shown = yield* signedIn(workspace.id, "owner")
      const now = yield* signedIn(workspace.id, "developer")
      const requests = [
        { path: "/api/v1/me" },
        { path: "/api/v1/events" },
        { path: "/api/v1/api-keys", body: {} },
        { method: "DELETE", path: "/api/v1/me/sessions" }
      ]
      for (const request of requests) {
        const headers = { ...now.headers, "x-cairn-person": shown.person.id }
        const refused = yield* send({ ...request, headers })
        assert.deepStrictEqual([refused.status, refused.json().error], [403, "other_person"], request.path)
        assert.include(refused.text, now.member.email)
      }
      for (const request of requests) {
        const headers = { ...now.headers, "x-cairn-person": now.person.id }
        assert.include([200, 201], (yield* send({ ...request, headers })).status, request.path)
      }
      // A program has no person to be taken for.
      const { key } = yield* makeTenant()
      const headers = { "x-cairn-person": shown.person.id }
      assert.strictEqual((yield* send({ path: "/api/v1/events", key, headers })).status, 200)
    }).pipe(Effect.provide(testServer()))
  )
})
