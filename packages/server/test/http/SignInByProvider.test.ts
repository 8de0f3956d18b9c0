/** Signing in at a real identity provider, through the service's own pages. */
import { IDENTITY_PROVIDER } from "@cairn/core/management"
import { People } from "@cairn/core/people"
import { type Member, Members } from "@cairn/core/workspace"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import type { RoleRule } from "../../src/settings/RoleMapping.ts"
import type { OpenIdConnectSettings } from "../../src/settings/SignInSettings.ts"
import { CLIENT_SECRET, type OidcProvider, startOidcProvider } from "../support/OidcProvider.ts"
import { Browser, pathOf } from "./Browser.ts"
import { makeMember } from "./SignedIn.ts"
import { makeTenant, makeWorkspace, send, sequence, testServer } from "./TestServer.ts"

const BASE = "https://audit.example.com"
const HOST = { host: "audit.example.com" }
const WORKSPACE = "wsp_00000000-0000-4000-8000-00000000000a"
const OTHER = "wsp_00000000-0000-4000-8000-00000000000b"

/** Accounts at the provider; what they say is changed by tests of their own. */
const ADA = {
  sub: "ada",
  email: "ada@example.com",
  email_verified: true,
  name: "Ada Lovelace",
  groups: ["audit"]
}
const ACCOUNTS = [
  ADA,
  // The address of Ada, given to somebody else.
  { ...ADA, sub: "successor" },
  { sub: "bob", email: "bob@example.com", email_verified: false },
  { sub: "eve", email: "\u{212A}ate@example.com", email_verified: true },
  { sub: "grace", email: "GRACE@example.com", email_verified: true, groups: ["owners", "audit"] },
  { sub: "former", email: "former@elsewhere.example", email_verified: true },
  { sub: "domain", email: "someone@corp.example", email_verified: true },
  { sub: "claims", email: "someone.else@corp.example", email_verified: false }
]

let provider: OidcProvider

beforeAll(async () => {
  provider = await startOidcProvider({
    accounts: ACCOUNTS,
    redirectUris: [`${BASE}/sign-in/oidc/callback`]
  })
})
afterAll(() => provider.close())

const RULES: ReadonlyArray<RoleRule> = [
  { kind: "group", name: "audit", role: "auditor", workspaceId: WORKSPACE },
  { kind: "group", name: "owners", role: "owner", workspaceId: WORKSPACE },
  { kind: "domain", name: "corp.example", role: "member", workspaceId: WORKSPACE },
  { kind: "group", name: "audit", role: "member", workspaceId: "wsp_00000000-0000-4000-8000-0000000000ff" }
]

const settingsOf = (roles: ReadonlyArray<RoleRule>): OpenIdConnectSettings => ({
  issuer: provider.issuer,
  clientId: "cairn",
  clientSecret: CLIENT_SECRET,
  name: "Example Identity",
  scopes: "openid email profile",
  groupsClaim: "groups",
  roles,
  trustsAddresses: false
})

/** A service with the provider, which is there when the layer is built. */
const serverWith = (roles: ReadonlyArray<RoleRule> = []) =>
  Layer.unwrap(
    Effect.sync(() => testServer({ config: { baseUrl: BASE, roles }, provider: settingsOf(roles) }))
  )

/** Goes to the provider and comes back; gives the last answer. */
const signIn = Effect.fnUntraced(function* (browser: Browser, sub: string, returnTo?: string) {
  const query = returnTo === undefined ? "" : `?return=${encodeURIComponent(returnTo)}`
  const left = yield* browser.open(`/sign-in/oidc${query}`, HOST)
  assert.strictEqual(left.status, 303, left.text)
  const back = yield* Effect.promise(() => provider.signIn(String(left.headers.location), sub))
  return yield* browser.open(pathOf(back), { ...HOST, "sec-fetch-site": "cross-site" })
})

const me = (browser: Browser) =>
  Effect.map(send({ path: "/api/v1/me", headers: browser.headers(HOST) }), (answer) =>
    answer.status === 200 ? answer.json<{ data: { email: string } }>().data.email : answer.status
  )

const membersOf = (workspaceId: string) => Effect.flatMap(Members, ({ list }) => list(workspaceId))
const shown = ({ email, role, managed_by }: Member) => [email, role, managed_by]

describe("Signing in at the identity provider", () => {
  it.live("leads there and back, confirms the address, and is that of the same person ever after", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      yield* makeMember(workspace.id, "admin", { email: "Ada@Example.com", confirmed_at: null })
      const page = yield* new Browser().open("/sign-in", HOST)
      assert.include(page.text, "Example Identity")
      const browser = new Browser()
      const done = yield* signIn(browser, "ada", "/alerts")
      assert.strictEqual(done.status, 303, done.text)
      assert.strictEqual(done.headers.location, "/alerts")
      assert.sameMembers([...browser.cookies.keys()], ["__Host-cairn"])
      const [member] = yield* membersOf(workspace.id)
      assert.isNumber(member?.confirmed_at)
      const account = { issuer: provider.issuer, subject: "ada" }
      const person = Option.getOrThrow(yield* (yield* People).ofAccount(account))
      const again = new Browser()
      yield* signIn(again, "ada")
      assert.strictEqual(yield* me(again), person.address)
      const { data } = (yield* send({ path: "/api/v1/me", headers: again.headers(HOST) })).json<{
        readonly data: { readonly sign_in: object }
      }>()
      assert.deepStrictEqual(data.sign_in, { mail: false, provider: "Example Identity" })
    }).pipe(Effect.provide(serverWith()))
  )

  it.live("is refused to who is no member, whose address is not confirmed, or only looks alike", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      for (const email of ["bob@example.com", "kate@example.com"])
        yield* makeMember(workspace.id, "member", { email })
      for (const [sub, words] of [
        ["ada", "ada@example.com"],
        ["bob", "Example Identity"],
        ["eve", "ate@example.com"]
      ] as const) {
        const browser = new Browser()
        const answer = yield* signIn(browser, sub)
        assert.strictEqual(answer.status, 403, sub)
        assert.include(answer.text, words)
        assert.isFalse(browser.cookies.has("__Host-cairn"), sub)
      }
      yield* sequence
      const told = yield* send({ path: "/api/v1/events?action=cairn.session.refused", key })
      const { data } = told.json<{ data: ReadonlyArray<{ metadata: object; actor: object }> }>()
      assert.lengthOf(data, 1, "of those who are members")
      assert.deepInclude(data[0]?.metadata, { method: "oidc", reason: "address_not_confirmed" })
      assert.deepInclude(data[0]?.actor, { id: "cairn-sign-in" })
    }).pipe(Effect.provide(serverWith()))
  )

  it.live("is refused to somebody who was given the address of another, until that one is forgotten", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      yield* makeMember(workspace.id, "member", { email: ADA.email })
      const first = new Browser()
      yield* signIn(first, "ada")
      const successor = new Browser()
      assert.strictEqual((yield* signIn(successor, "successor")).status, 403)
      assert.isFalse(successor.cookies.has("__Host-cairn"))
      const people = yield* People
      const person = Option.getOrThrow(yield* people.ofAddress(ADA.email))
      yield* people.forget(person.id)
      assert.strictEqual(yield* me(first), 401)
      assert.strictEqual((yield* signIn(successor, "successor")).status, 303)
      assert.strictEqual((yield* signIn(first, "ada")).status, 403)
    }).pipe(Effect.provide(serverWith()))
  )

  it.live("is refused without the browser that began it, and twice", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      yield* makeMember(workspace.id, "member", { email: ADA.email })
      const browser = new Browser()
      const left = yield* browser.open("/sign-in/oidc", HOST)
      const back = pathOf(yield* Effect.promise(() => provider.signIn(String(left.headers.location), "ada")))
      // Somebody sends the end of a sign-in of one's own to another, whose browser began none or another one.
      const victim = new Browser()
      assert.strictEqual((yield* victim.open(back, HOST)).status, 403)
      yield* victim.open("/sign-in/oidc", HOST)
      assert.strictEqual((yield* victim.open(back, HOST)).status, 403)
      assert.isFalse(victim.cookies.has("__Host-cairn"))
      const ticket = browser.cookies.get("__Host-cairn-oidc") ?? ""
      assert.strictEqual((yield* browser.open(back, HOST)).status, 303)
      assert.isFalse(browser.cookies.has("__Host-cairn-oidc"))
      browser.cookies.set("__Host-cairn-oidc", ticket)
      browser.cookies.delete("__Host-cairn")
      assert.strictEqual((yield* browser.open(back, HOST)).status, 403)
      assert.isFalse(browser.cookies.has("__Host-cairn"))
    }).pipe(Effect.provide(serverWith()))
  )

  it.live("says so where the provider denies it, or is away, and leaves the other ways open", () =>
    Effect.gen(function* () {
      const browser = new Browser()
      const left = yield* browser.open("/sign-in/oidc", HOST)
      const denied = yield* Effect.promise(() => provider.deny(String(left.headers.location)))
      const answer = yield* browser.open(pathOf(denied), HOST)
      assert.strictEqual(answer.status, 403)
      assert.include(answer.text, "Example Identity")
      assert.include(answer.text, "/sign-in/oidc")
    }).pipe(Effect.provide(serverWith()))
  )

  it.live("leads to a page of the service, whatever was asked for", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      yield* makeMember(workspace.id, "member", { email: ADA.email })
      for (const wanted of [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "/sign-in/oidc",
        "x"
      ]) {
        assert.strictEqual((yield* signIn(new Browser(), "ada", wanted)).headers.location, "/", wanted)
      }
    }).pipe(Effect.provide(serverWith()))
  )
})

describe("Roles from the identity provider", () => {
  it.live("make members of those who have them, with the most powerful, and confirm nothing else", () =>
    Effect.gen(function* () {
      yield* makeWorkspace({ id: WORKSPACE })
      for (const sub of ["ada", "grace", "domain"]) {
        const answer = yield* signIn(new Browser(), sub)
        assert.strictEqual(answer.status, 303, `${sub}: ${answer.text}`)
      }
      for (const sub of ["former", "claims"])
        assert.strictEqual((yield* signIn(new Browser(), sub)).status, 403, sub)
      assert.sameDeepMembers((yield* membersOf(WORKSPACE)).map(shown), [
        ["ada@example.com", "auditor", "oidc"],
        ["GRACE@example.com", "owner", "oidc"],
        ["someone@corp.example", "member", "oidc"]
      ])
    }).pipe(Effect.provide(serverWith(RULES)))
  )

  it.live("follow what the provider says, and leave what people decided, and the last owner", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace({ id: WORKSPACE })
      const other = yield* makeWorkspace({ id: OTHER })
      const member = (email: string, settings: Partial<Member>) =>
        makeMember(workspace.id, "developer", { email, ...settings })
      // Changed: the role that the provider gave. Kept: what people decided. Removed: no rule gives it now.
      yield* member("ada@example.com", { managed_by: "oidc" })
      yield* member("GRACE@example.com", { managed_by: null })
      yield* member("former@elsewhere.example", { managed_by: "oidc" })
      yield* makeMember(other.id, "member", { email: "former@elsewhere.example" })
      for (const sub of ["ada", "grace", "former"])
        assert.strictEqual((yield* signIn(new Browser(), sub)).status, 303, sub)
      assert.sameDeepMembers((yield* membersOf(WORKSPACE)).map(shown), [
        ["ada@example.com", "auditor", "oidc"],
        ["GRACE@example.com", "developer", null]
      ])
      assert.lengthOf(yield* membersOf(OTHER), 1)
      yield* sequence
    }).pipe(Effect.provide(serverWith(RULES)))
  )

  it.live("are recorded in the log as the provider's, and never remove the last owner", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant({ id: WORKSPACE })
      yield* makeMember(workspace.id, "owner", { email: "former@elsewhere.example", managed_by: "oidc" })
      assert.strictEqual((yield* signIn(new Browser(), "former")).status, 303)
      assert.strictEqual((yield* signIn(new Browser(), "ada")).status, 303)
      assert.sameDeepMembers((yield* membersOf(WORKSPACE)).map(shown), [
        ["former@elsewhere.example", "owner", "oidc"],
        ["ada@example.com", "auditor", "oidc"]
      ])
      yield* sequence
      const told = yield* send({ path: "/api/v1/events?action=cairn.member.created", key, headers: HOST })
      const [event] = told.json<{ data: ReadonlyArray<{ actor: object; metadata: object }> }>().data
      const { id, name, type } = IDENTITY_PROVIDER
      assert.deepStrictEqual(event?.actor, { id, name, type })
      assert.deepInclude(event?.metadata, { email: "ada@example.com", role: "auditor" })
    }).pipe(Effect.provide(serverWith(RULES)))
  )
})
