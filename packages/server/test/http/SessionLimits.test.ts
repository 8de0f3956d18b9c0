/** What a session costs, and what it must not reveal or reach. */
import { Micros } from "@cairn/core/encoding"
import { ManagementEvents, MemberManagement } from "@cairn/core/management"
import { Sessions, SignIn } from "@cairn/core/people"
import { ManagedWorkspaces, Members, VIEWER_TTL } from "@cairn/core/workspace"
import { meteredValue } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Result } from "effect"
import { UnknownSessions } from "../../src/http/gate/SessionCheck.ts"
import { WorkspaceDirectory } from "../../src/http/gate/WorkspaceDirectory.ts"
import { accepting } from "./AcceptingStorage.ts"
import { Browser } from "./Browser.ts"
import { browserWith, makeMember, signedIn, signIn } from "./SignedIn.ts"
import { makeTenant, send, sequence, testServer, testServerOver } from "./TestServer.ts"

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
      // The limit refills meanwhile: what half of the requests leave over is never this little.
      const half = 50
      const all = [first.headers, headers].flatMap((of) => Array.from({ length: half }, () => remaining(of)))
      const left = yield* Effect.all(all, { concurrency: "unbounded" })
      assert.isBelow(Math.min(...left), 600 - half)
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

describe("An address that sends sessions which nobody has", () => {
  it.live("waits after a hundred of them, and holds up no session that the process has seen", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const seen = yield* signedIn(workspace.id, "member")
      const fresh = yield* signedIn(workspace.id, "member")
      const statusOf = (headers: Record<string, string>) =>
        Effect.map(send({ path: ME, headers }), ({ status }) => status)
      assert.strictEqual(yield* statusOf(seen.headers), 200)
      for (const path of [ME, EVENTS]) {
        for (let count = 0; count < 60; count++) {
          const headers = browserWith(`${count}`.padStart(43, "x"), workspace.id)
          assert.strictEqual((yield* send({ path, headers })).status, path === ME || count < 40 ? 401 : 429)
        }
      }
      const refused = yield* send({ path: ME, headers: fresh.headers })
      assert.deepStrictEqual([refused.status, refused.json().error], [429, "rate_limited"])
      assert.isAtLeast(Number(refused.headers["retry-after"]), 1)
      assert.strictEqual(
        yield* meteredValue("cairn_limited_requests_total", { limit: "failed_sessions" }),
        21
      )
      assert.strictEqual(yield* statusOf(seen.headers), 200)
    }).pipe(
      Effect.provide(testServer()),
      Effect.provideService(UnknownSessions, { burst: 100, refillMillis: 600_000 })
    )
  )

  it.live("does not wait for sessions that have ended", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { member, headers } = yield* signedIn(workspace.id, "member")
      yield* (yield* SignIn).endAll(member.email, null)
      for (let count = 0; count < 5; count++)
        assert.strictEqual((yield* send({ path: ME, headers })).status, 401)
      const other = yield* signedIn(workspace.id, "member")
      assert.strictEqual((yield* send({ path: ME, headers: other.headers })).status, 200)
    }).pipe(
      Effect.provide(testServer()),
      Effect.provideService(UnknownSessions, { burst: 2, refillMillis: 600_000 })
    )
  )
})

describe("A session that a workspace has not seen", () => {
  it.live("counts once, however many of its requests come before a slow store has noted it", () => {
    const slow = accepting((accepted) => Effect.delay(accepted, "100 millis"))
    return Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { member, headers } = yield* signedIn(workspace.id, "member")
      const read = (of: Record<string, string>) =>
        Effect.map(send({ path: EVENTS, headers: of }), ({ status }) => status)
      const many = (of: Record<string, string>) =>
        Effect.all(
          Array.from({ length: 40 }, () => read(of)),
          { concurrency: "unbounded" }
        )
      assert.deepStrictEqual([...new Set(yield* many(headers))], [200])
      // The limit refills meanwhile, but by one in six seconds.
      const others = yield* Effect.all(Array.from({ length: 20 }, () => signIn(member)))
      const statuses = yield* Effect.forEach(
        others,
        ({ secret }) => read(browserWith(secret, workspace.id)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(statuses)].toSorted(), [200, 429])
      const refused = statuses.filter((status) => status === 429).length
      assert.strictEqual(
        yield* meteredValue("cairn_limited_requests_total", { limit: "session_rate" }),
        refused
      )
    }).pipe(Effect.provide(testServerOver(slow)))
  })
})

describe("New sessions of a member of one workspace", () => {
  it.live("are counted where they begin, too: the sign-in comes into the workspace at once", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const { email } = yield* makeMember(workspace.id, "member")
      const { operatorLink } = yield* SignIn
      const arrive = Effect.gen(function* () {
        const { secret: token } = Option.getOrThrow(yield* operatorLink(email))
        const browser = new Browser()
        yield* browser.open(`/sign-in/link?token=${token}`)
        assert.strictEqual((yield* browser.submit("/sign-in/link", { token })).status, 303)
        const headers = browserWith(browser.cookies.get("cairn") ?? "", workspace.id)
        const { status, headers: answered } = yield* send({ path: EVENTS, headers })
        // What is seen is the limit of requests, never that of sessions.
        if (status === 200) assert.notMatch(String(answered["ratelimit-policy"]), /q=10\b/)
        return status
      })
      // The limit refills meanwhile, but by one in six seconds.
      const statuses = yield* Effect.all(Array.from({ length: 25 }, () => arrive))
      assert.deepStrictEqual([...new Set(statuses)].toSorted(), [200, 429])
      yield* sequence
      const { json } = yield* send({ path: `${EVENTS}?action=cairn.session.started&limit=100`, key })
      const begun = statuses.filter((status) => status === 200).length
      assert.strictEqual(json<{ data: ReadonlyArray<unknown> }>().data.length, begun)
    }).pipe(Effect.provide(testServer()))
  )
})
