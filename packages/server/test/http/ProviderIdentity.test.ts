/** Who an account at the identity provider is, and what its word on memberships is good for. */
import { People, SignIn } from "@cairn/core/people"
import { type Member, Members } from "@cairn/core/workspace"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import type { RoleRule } from "../../src/settings/RoleMapping.ts"
import { CLIENT_SECRET, type OidcProvider, startOidcProvider } from "../support/OidcProvider.ts"
import { Browser, pathOf } from "./Browser.ts"
import { browserWith, makeMember, signIn } from "./SignedIn.ts"
import { settingsFor } from "./signin/SignInFixture.ts"
import { makeTenant, makeWorkspace, send, sequence, testServer } from "./TestServer.ts"

const BASE = "http://localhost:8787"
const HOST = { host: "localhost:8787" }
const WORKSPACE = "wsp_00000000-0000-4000-8000-00000000000a"

/** What the provider says of each, which a test changes for accounts of its own. */
const accounts = new Map<string, Record<string, unknown> & { readonly sub: string }>()
const account = (sub: string, claims: Record<string, unknown> = {}) => {
  const known = accounts.get(sub) ?? { sub }
  accounts.set(sub, Object.assign(known, { email: `${sub}@example.com`, email_verified: true, ...claims }))
}
for (const sub of ["mover", "loser", "first", "second", "thief", "managed", "ended", "kept", "local"])
  account(sub)

let provider: OidcProvider

beforeAll(async () => {
  provider = await startOidcProvider({
    accounts: [...accounts.values()],
    redirectUris: [`${BASE}/sign-in/oidc/callback`],
    clientSecret: CLIENT_SECRET
  })
})
afterAll(() => provider.close())

const RULES: ReadonlyArray<RoleRule> = [
  { kind: "group", name: "audit", role: "auditor", workspaceId: WORKSPACE },
  { kind: "group", name: "owners", role: "owner", workspaceId: WORKSPACE }
]

const serverWith = (roles: ReadonlyArray<RoleRule> = [], mail = false) =>
  Layer.unwrap(
    Effect.sync(() =>
      testServer({
        mail,
        config: { baseUrl: BASE, roles },
        provider: settingsFor(provider.issuer, { roles })
      })
    )
  )

/** Goes to the provider and comes back; gives the last answer. */
const enter = Effect.fnUntraced(function* (browser: Browser, sub: string) {
  const left = yield* browser.open("/sign-in/oidc", HOST)
  const back = yield* Effect.promise(() => provider.signIn(String(left.headers.location), sub))
  return yield* browser.open(pathOf(back), { ...HOST, "sec-fetch-site": "cross-site" })
})

interface Me {
  readonly data: { readonly email: string; readonly memberships: ReadonlyArray<object> }
}

const me = (browser: Browser) =>
  Effect.map(send({ path: "/api/v1/me", headers: browser.headers(HOST) }), (answer) =>
    answer.status === 200 ? answer.json<Me>().data.email : answer.status
  )

const membersOf = (workspaceId: string) => Effect.flatMap(Members, ({ list }) => list(workspaceId))
const shown = ({ email, role, managed_by }: Member) => [email, role, managed_by]

describe("An account at the identity provider", () => {
  it.live("is whose address is confirmed now, and not any more whose it was", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      yield* makeMember(workspace.id, "owner", { email: "mover@example.com" })
      yield* makeMember(workspace.id, "member", { email: "moved@example.com" })
      const before = new Browser()
      yield* enter(before, "mover")
      assert.strictEqual(yield* me(before), "mover@example.com")
      account("mover", { email: "moved@example.com" })
      const after = new Browser()
      assert.strictEqual((yield* enter(after, "mover")).status, 303)
      assert.strictEqual(yield* me(after), "moved@example.com")
      assert.strictEqual(yield* me(before), 401)
      // And who has the address now signs in with it.
      account("second", { email: "mover@example.com" })
      const next = new Browser()
      yield* enter(next, "second")
      assert.strictEqual(yield* me(next), "mover@example.com")
    }).pipe(Effect.provide(serverWith()))
  )

  it.live("signs nobody in once its address is not confirmed any more, or is gone", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      yield* makeMember(workspace.id, "owner", { email: "loser@example.com" })
      assert.strictEqual((yield* enter(new Browser(), "loser")).status, 303)
      for (const claims of [{ email_verified: false }, { email: undefined }, { email: "gone@example.com" }]) {
        account("loser", claims)
        const browser = new Browser()
        assert.strictEqual((yield* enter(browser, "loser")).status, 403, JSON.stringify(claims))
        assert.isFalse(browser.cookies.has("cairn"))
      }
    }).pipe(Effect.provide(serverWith()))
  )

  it.live(
    "changes nothing where it is refused: neither roles, nor memberships, nor whose account is whose",
    () =>
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace({ id: WORKSPACE })
        yield* makeMember(workspace.id, "owner")
        account("first", { groups: ["audit"] })
        assert.strictEqual((yield* enter(new Browser(), "first")).status, 303)
        const people = yield* People
        const person = yield* people.ofAccount({ issuer: provider.issuer, subject: "first" })
        const told = yield* membersOf(WORKSPACE)
        for (const claims of [
          { groups: ["owners"] },
          { groups: [] },
          { groups: ["owners"], email_verified: false }
        ]) {
          account("thief", { email: "first@example.com", ...claims })
          const browser = new Browser()
          assert.strictEqual((yield* enter(browser, "thief")).status, 403)
          assert.isFalse(browser.cookies.has("cairn"))
        }
        assert.deepStrictEqual(yield* membersOf(WORKSPACE), told)
        assert.deepStrictEqual(
          yield* people.ofAccount({ issuer: provider.issuer, subject: "thief" }),
          Option.none()
        )
        assert.deepStrictEqual(yield* people.ofAccount({ issuer: provider.issuer, subject: "first" }), person)
      }).pipe(Effect.provide(serverWith(RULES)))
  )
})

describe("A membership on which the identity provider decides", () => {
  it.live("is entered by signing in there, or by the operator's link, and by no mail", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant({ id: WORKSPACE })
      const other = yield* makeTenant()
      yield* makeMember(other.workspace.id, "member", { email: "managed@example.com" })
      const early = yield* signIn({ email: "managed@example.com" })
      account("managed", { groups: ["audit"] })
      const browser = new Browser()
      assert.strictEqual((yield* enter(browser, "managed")).status, 303)
      const [member] = yield* membersOf(workspace.id)
      assert.deepStrictEqual(member && shown(member), ["managed@example.com", "auditor", "oidc"])
      const workspaces = (headers: Record<string, string>) =>
        Effect.map(
          send({ path: "/api/v1/me", headers }),
          (answer) => answer.json<Me>().data.memberships.length
        )
      assert.strictEqual(yield* workspaces(browser.headers(HOST)), 2)
      // By mail, of whatever time, it is the other one alone.
      for (const { secret } of [early, yield* signIn({ email: "managed@example.com" })]) {
        const headers = browserWith(secret, workspace.id)
        assert.strictEqual(yield* workspaces(headers), 1)
        const refused = yield* send({ path: "/api/v1/events", headers })
        assert.strictEqual(refused.status, 403)
        assert.match(String(refused.json().message), /identity provider/)
        const elsewhere = browserWith(secret, other.workspace.id)
        assert.strictEqual((yield* send({ path: "/api/v1/events", headers: elsewhere })).status, 200)
      }
      const path = `/api/v1/members/${member?.id}`
      const invited = yield* send({ method: "POST", path: `${path}/invite`, key })
      assert.strictEqual(invited.status, 409)
      const signing = yield* SignIn
      const { secret } = Option.getOrThrow(yield* signing.operatorLink("managed@example.com"))
      const byOperator = yield* signing.byLink(secret, { clientAddress: null, userAgent: null })
      assert.strictEqual(yield* workspaces(browserWith(byOperator.secret, workspace.id)), 2)
      // People take it over by saying what its role is, be it the same one.
      const taken = yield* send({ method: "PATCH", path, key, body: { role: "auditor" } })
      assert.strictEqual(taken.json<{ data: Member }>().data.managed_by, null)
      const headers = browserWith((yield* signIn({ email: "managed@example.com" })).secret, workspace.id)
      assert.strictEqual((yield* send({ path: "/api/v1/events", headers })).status, 200)
      yield* sequence
      const told = yield* send({ path: "/api/v1/events?action=cairn.member.updated", key })
      const [event] = told.json<{ data: ReadonlyArray<{ metadata: object }> }>().data
      assert.deepStrictEqual(event?.metadata, { changed: { managed_by: { from: "oidc", to: null } } })
    }).pipe(Effect.provide(serverWith(RULES, true)))
  )

  it.live("gets no mail with a link where it is the only one", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      yield* makeMember(workspace.id, "member", { email: "kept@example.com", managed_by: "oidc" })
      assert.deepStrictEqual(yield* (yield* SignIn).requestLink("kept@example.com", null), Option.none())
    }).pipe(Effect.provide(serverWith([], true)))
  )

  it.live("keeps the end that people have set, whatever role the provider gives", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace({ id: WORKSPACE })
      const end = Date.now() * 1_000 + 3_600_000_000
      yield* makeMember(workspace.id, "auditor", {
        email: "ended@example.com",
        managed_by: "oidc",
        expires_at: end
      })
      account("ended", { groups: ["owners"] })
      assert.strictEqual((yield* enter(new Browser(), "ended")).status, 303)
      const [member] = yield* membersOf(WORKSPACE)
      assert.deepInclude(member, { role: "auditor", expires_at: end })
    }).pipe(Effect.provide(serverWith(RULES)))
  )

  it.live("is gone once no rule gives it any more, also where there are none at all", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const other = yield* makeTenant()
      const email = "kept@example.com"
      yield* makeMember(workspace.id, "auditor", { email, managed_by: "oidc" })
      yield* makeMember(other.workspace.id, "member", { email })
      assert.strictEqual((yield* enter(new Browser(), "kept")).status, 303)
      assert.deepStrictEqual(yield* membersOf(workspace.id), [])
      assert.lengthOf(yield* membersOf(other.workspace.id), 1)
    }).pipe(Effect.provide(serverWith()))
  )
})

describe("Signing in at the identity provider on this machine", () => {
  it.live("begins at the name that the provider leads back to, whichever was opened", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      yield* makeMember(workspace.id, "member", { email: "local@example.com" })
      const browser = new Browser()
      const moved = yield* browser.open("/sign-in/oidc?return=/alerts", { host: "127.0.0.1:8787" })
      assert.strictEqual(moved.headers.location, `${BASE}/sign-in/oidc?moved=1&return=%2Falerts`)
      assert.isFalse(browser.cookies.has("cairn-oidc"))
      // And never in a circle, where a proxy of one's own changes the name.
      const circle = yield* browser.open("/sign-in/oidc?moved=1", { host: "127.0.0.1:8787" })
      assert.isTrue(String(circle.headers.location).startsWith(provider.issuer))
      const left = yield* browser.open(pathOf(String(moved.headers.location)), HOST)
      const back = yield* Effect.promise(() => provider.signIn(String(left.headers.location), "local"))
      const done = yield* browser.open(pathOf(back), { ...HOST, "sec-fetch-site": "cross-site" })
      assert.strictEqual(done.headers.location, "/alerts")
    }).pipe(Effect.provide(serverWith()))
  )
})
