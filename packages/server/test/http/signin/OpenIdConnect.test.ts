/** Signing in at a real provider, as it should go. */
import { Micros } from "@cairn/core/encoding"
import { manualClock } from "@cairn/testing"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { OpenIdConnect } from "../../../src/http/signin/OpenIdConnect.ts"
import { layerTokenSigner } from "../../../src/secret/JoseTokens.ts"
import type { OpenIdConnectSettings } from "../../../src/settings/SignInSettings.ts"
import { type OidcProvider, startOidcProvider } from "../../support/OidcProvider.ts"
import { standing } from "../StandingClock.ts"
import {
  BASE,
  finish,
  OTHER_KEY,
  parametersOf,
  SECRET_KEY,
  type ServiceOptions,
  service,
  start
} from "./SignInFixture.ts"

const ADA = {
  sub: "ada",
  email: "ada@example.com",
  email_verified: true,
  name: "Ada Lovelace",
  groups: ["audit", "admins"]
}
const GROUP_RULE: OpenIdConnectSettings["roles"] = [
  { kind: "group", name: "audit", role: "auditor", workspaceId: "wsp_1" }
]

const ACCOUNTS = [
  ADA,
  { sub: "bob", email: "bob@example.com", email_verified: false, groups: "one group" },
  { sub: "eve", email: "eve@example.com" },
  { sub: "max", email: "max@example.com", email_verified: "true", groups: ["a", 1, null, { b: "c" }] },
  { sub: "odd", email: "not an address", email_verified: true, name: "a\u0000b", groups: { a: "b" } },
  { sub: "nul", email: "nul@example.com", email_verified: null }
]

let provider: OidcProvider
let thin: OidcProvider
let open: OidcProvider

beforeAll(async () => {
  provider = await startOidcProvider({ accounts: ACCOUNTS })
  thin = await startOidcProvider({ accounts: ACCOUNTS, claimsIn: "userinfo" })
  open = await startOidcProvider({ accounts: ACCOUNTS, clientSecret: null })
})
afterAll(async () => {
  await Promise.all([provider, thin, open].map(({ close }) => close()))
})

/** Somebody signs in. */
const signIn = Effect.fnUntraced(function* (at: OidcProvider, sub: string, returnTo: string | null = null) {
  const { url, ticket } = yield* start(returnTo)
  return yield* finish(yield* Effect.promise(() => at.signIn(url, sub)), ticket)
})

const signedIn = (at: OidcProvider, sub: string, options: ServiceOptions = {}) =>
  Effect.provide(signIn(at, sub), service(at.issuer, options))

describe("a sign-in", () => {
  it.live("begins at the provider, with all that its end is checked by", () =>
    Effect.gen(function* () {
      const { url, ticket } = yield* start()
      assert.isTrue(url.startsWith(`${provider.issuer}/auth?`))
      const { state, nonce, code_challenge, ...rest } = parametersOf(url)
      assert.deepStrictEqual(rest, {
        response_type: "code",
        client_id: "cairn",
        redirect_uri: `${BASE}/sign-in/oidc/callback`,
        scope: "openid email profile",
        code_challenge_method: "S256"
      })
      const other = yield* start()
      for (const [name, value] of Object.entries({ state, nonce, code_challenge })) {
        assert.match(value ?? "", /^[\w-]{43}$/)
        assert.notStrictEqual(parametersOf(other.url)[name], value)
      }
      // A cookie has room for 4,096 bytes.
      assert.isBelow(ticket.length, 1_500)
    }).pipe(Effect.provide(service(provider.issuer)))
  )

  it.live(
    "ends with the account, the address, the name and the groups, and where the person wanted to go",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* signIn(provider, "ada", "/events?filter=a%20b"), {
          account: { issuer: provider.issuer, subject: "ada" },
          address: "ada@example.com",
          isConfirmed: true,
          name: "Ada Lovelace",
          groups: ["audit", "admins"],
          returnTo: "/events?filter=a%20b"
        })
      }).pipe(Effect.provide(service(provider.issuer)))
  )

  it.live("proves the client by HTTP Basic, and in the body only where the provider takes nothing else", () =>
    Effect.gen(function* () {
      yield* signedIn(provider, "ada")
      assert.strictEqual(provider.lastScheme("token"), "Basic")
      provider.meddle("metadata", {
        change: (metadata) => ({
          ...metadata,
          token_endpoint_auth_methods_supported: ["client_secret_post", "private_key_jwt"]
        })
      })
      assert.strictEqual((yield* signedIn(provider, "ada")).account.subject, "ada")
      assert.isUndefined(provider.lastScheme("token"))
      provider.behave()
    })
  )

  it.live("needs no secret of a public client", () =>
    Effect.gen(function* () {
      const { account } = yield* signedIn(open, "ada", { settings: { clientSecret: null } })
      assert.deepStrictEqual(account, { issuer: open.issuer, subject: "ada" })
      assert.isUndefined(open.lastScheme("token"))
    })
  )

  it.live("leaves out where to go if it is long, or no address", () =>
    Effect.gen(function* () {
      for (const wrong of [`/${"a".repeat(1_000)}`, "/a b", "/ü", ""]) {
        assert.isNull((yield* signIn(provider, "ada", wrong)).returnTo)
      }
      const long = `/${"a".repeat(999)}`
      assert.strictEqual((yield* signIn(provider, "ada", long)).returnTo, long)
      const { ticket } = yield* start(long)
      assert.isBelow(ticket.length, 3_500)
    }).pipe(Effect.provide(service(provider.issuer)))
  )

  it.live("ends in a process with a newer secret key, as long as the older one is still there", () =>
    Effect.gen(function* () {
      const { url, ticket } = yield* Effect.provide(start(), service(provider.issuer))
      const callback = yield* Effect.promise(() => provider.signIn(url, "ada"))
      const rotated = service(provider.issuer, { secretKeys: [OTHER_KEY, SECRET_KEY] })
      assert.strictEqual((yield* Effect.provide(finish(callback, ticket), rotated)).account.subject, "ada")
    })
  )
})

describe("what the provider says", () => {
  it.live("is asked of the userinfo where the ID token has no address", () =>
    Effect.gen(function* () {
      const before = thin.asked("userinfo")
      assert.deepInclude(yield* signedIn(thin, "ada"), {
        address: "ada@example.com",
        isConfirmed: true,
        name: "Ada Lovelace",
        groups: ["audit", "admins"]
      })
      assert.strictEqual(thin.asked("userinfo"), before + 1)
      yield* signedIn(provider, "ada", { settings: { roles: GROUP_RULE } })
      assert.strictEqual(provider.asked("userinfo"), 0)
    })
  )

  it.live("is asked of the userinfo for groups only if roles depend on them", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* signedIn(provider, "eve")).groups, [])
      assert.strictEqual(provider.asked("userinfo"), 0)
      provider.meddle("userinfo", { change: (answer) => ({ ...answer, groups: ["late"] }) })
      const settings = { roles: GROUP_RULE }
      assert.deepStrictEqual((yield* signedIn(provider, "eve", { settings })).groups, ["late"])
      provider.behave()
    })
  )

  it.live("of an address counts if it says that it is confirmed, or says nothing and is trusted", () =>
    Effect.gen(function* () {
      for (const [sub, plain, trusted] of [
        ["ada", true, true],
        ["bob", false, false],
        ["eve", false, true],
        ["max", true, true],
        ["nul", false, false]
      ] as const) {
        const settings = { trustsAddresses: true }
        assert.strictEqual((yield* signedIn(provider, sub)).isConfirmed, plain, sub)
        assert.strictEqual((yield* signedIn(provider, sub, { settings })).isConfirmed, trusted, sub)
        assert.strictEqual((yield* signedIn(thin, sub, { settings })).isConfirmed, trusted, sub)
      }
    })
  )

  it.live("of groups is a list or one text, and nothing else", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* signedIn(provider, "bob")).groups, ["one group"])
      assert.deepStrictEqual((yield* signedIn(provider, "max")).groups, ["a"])
      assert.deepStrictEqual((yield* signedIn(provider, "odd")).groups, [])
      const settings = { groupsClaim: "name" }
      assert.deepStrictEqual((yield* signedIn(provider, "ada", { settings })).groups, ["Ada Lovelace"])
      const inherited = { groupsClaim: "toString" }
      assert.deepStrictEqual((yield* signedIn(provider, "ada", { settings: inherited })).groups, [])
    })
  )

  it.live("is left out where it cannot be what it should", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* signedIn(provider, "odd", { settings: { trustsAddresses: true } }), {
        address: null,
        isConfirmed: false,
        name: null
      })
    })
  )
})

describe("the metadata of the provider", () => {
  it.live("are read when somebody signs in, once for all who do, and again after an hour", () => {
    const hands = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)
    const before = provider.asked("metadata")
    const reads = () => provider.asked("metadata") - before
    return Effect.gen(function* () {
      yield* OpenIdConnect
      assert.strictEqual(reads(), 0)
      yield* Effect.all(
        Array.from({ length: 20 }, () => start()),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(reads(), 1)
      hands.advance(59 * Micros.MINUTE)
      yield* start()
      assert.strictEqual(reads(), 1)
      hands.advance(Micros.MINUTE)
      yield* start()
      assert.strictEqual(reads(), 2)
    }).pipe(
      Effect.provide(service(provider.issuer)),
      Effect.provideService(Clock.Clock, standing(hands.clock))
    )
  })

  it.live("are not asked for without settings", () =>
    Effect.gen(function* () {
      const connect = yield* OpenIdConnect
      assert.isNull(connect.name)
      for (const refused of [
        yield* Effect.flip(connect.start({ returnTo: null })),
        yield* Effect.flip(connect.finish({ callbackUrl: "/sign-in/oidc/callback?code=a", ticket: "a" }))
      ]) {
        assert.strictEqual(refused.reason, "not_configured")
      }
    }).pipe(
      Effect.provide(
        OpenIdConnect.layer({ settings: null, baseUrl: BASE, secretKeys: [] }).pipe(
          Layer.provide(layerTokenSigner)
        )
      )
    )
  )
})
