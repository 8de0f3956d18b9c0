/**
 * What is not believed: callbacks, tickets and tokens that are not those of a sign-in, from a real provider.
 */
import { createHmac, hkdfSync } from "node:crypto"
import { Micros } from "@cairn/core/encoding"
import { TokenSigner } from "@cairn/core/workspace"
import { manualClock } from "@cairn/testing"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { decodeJwt, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose"
import type { OpenIdConnectFailed } from "../../../src/http/signin/ProviderFault.ts"
import { layerTokenSigner } from "../../../src/secret/JoseTokens.ts"
import { CLIENT_SECRET, type OidcProvider, startOidcProvider } from "../../support/OidcProvider.ts"
import { standing } from "../StandingClock.ts"
import {
  finish,
  OTHER_KEY,
  parametersOf,
  refusal,
  SECRET_KEY,
  service,
  start,
  withParameters
} from "./SignInFixture.ts"

type Reason = OpenIdConnectFailed["reason"]

const ACCOUNTS = [{ sub: "ada", email: "ada@example.com", email_verified: true, name: "Ada" }]

let provider: OidcProvider
let other: OidcProvider
let thin: OidcProvider

beforeAll(async () => {
  provider = await startOidcProvider({ accounts: ACCOUNTS })
  other = await startOidcProvider({ accounts: ACCOUNTS })
  thin = await startOidcProvider({ accounts: ACCOUNTS, claimsIn: "userinfo" })
})
afterEach(() => {
  for (const { behave } of [provider, other, thin]) behave()
})
afterAll(async () => {
  await Promise.all([provider, other, thin].map(({ close }) => close()))
})

/** A sign-in of which only the end is missing. */
const begun = Effect.fnUntraced(function* (at: OidcProvider = provider) {
  const { url, ticket } = yield* start()
  return { url, ticket, callback: yield* Effect.promise(() => at.signIn(url, "ada")) }
})

const isRefused = ({ reason, detail }: OpenIdConnectFailed, wanted: Reason, says: string): void => {
  assert.strictEqual(reason, wanted, detail)
  assert.include(detail, says)
}

const run = <A, E>(body: Effect.Effect<A, E, Effect.Services<ReturnType<typeof start>>>) =>
  Effect.provide(body, service(provider.issuer))

describe("a callback", () => {
  it.live("of another sign-in is refused, in either direction, and the provider is not asked", () =>
    run(
      Effect.gen(function* () {
        const one = yield* begun()
        const two = yield* begun()
        const before = provider.asked("token")
        isRefused(yield* refusal(one.callback, two.ticket), "state", "another state")
        isRefused(yield* refusal(two.callback, one.ticket), "state", "another state")
        for (const state of ["", "wrong", undefined]) {
          isRefused(
            yield* refusal(withParameters(one.callback, { state }), one.ticket),
            "state",
            "another state"
          )
        }
        assert.strictEqual(provider.asked("token"), before)
        yield* finish(one.callback, one.ticket)
        yield* finish(two.callback, two.ticket)
      })
    )
  )

  it.live("with the code of one sign-in and the state of another is refused by the provider", () =>
    run(
      Effect.gen(function* () {
        const one = yield* begun()
        const two = yield* begun()
        const mixed = withParameters(one.callback, { state: parametersOf(two.callback).state })
        // Its code was bound to the other's verifier (RFC 7636 section 4.6).
        isRefused(yield* refusal(mixed, two.ticket), "code_refused", "invalid_grant")
      })
    )
  )

  it.live("is good once", () =>
    run(
      Effect.gen(function* () {
        const { callback, ticket } = yield* begun()
        yield* finish(callback, ticket)
        isRefused(yield* refusal(callback, ticket), "code_refused", "invalid_grant")
      })
    )
  )

  it.live("that is none is refused", () =>
    run(
      Effect.gen(function* () {
        const { callback, ticket } = yield* begun()
        const before = provider.asked("token")
        const { code = "", state = "", iss = "" } = parametersOf(callback)
        for (const wrong of [
          "",
          "?",
          "/sign-in/oidc/callback",
          withParameters(callback, { code: undefined }),
          withParameters(callback, { code: "" }),
          // Of other flows.
          `${callback}&id_token=a`,
          `${callback}&token=a`,
          `${callback}&response=a`,
          `${callback}&code=${code}`,
          `${callback}&code=other`,
          `${callback}&state=${state}`,
          `${callback}&iss=${iss}`,
          `${callback}&error=a&error=b`,
          `${callback}&more=${"a".repeat(8_192)}`,
          `/sign-in/oidc/callback#code=${code}&state=${state}`
        ]) {
          isRefused(yield* refusal(wrong, ticket), "callback_invalid", "none")
        }
        assert.strictEqual(provider.asked("token"), before)
      })
    )
  )

  it.live("is taken by its query alone, since a proxy may have changed what stands before it", () =>
    run(
      Effect.gen(function* () {
        const { callback, ticket } = yield* begun()
        yield* finish(`/elsewhere${new URL(callback).search}`, ticket)
      })
    )
  )

  it.live("says who denied it", () =>
    run(
      Effect.gen(function* () {
        const { url, ticket } = yield* start()
        const callback = yield* Effect.promise(() => provider.deny(url))
        isRefused(yield* refusal(callback, ticket), "denied", "access_denied")
        const error = withParameters(callback, { error: "temporarily_unavailable" })
        isRefused(yield* refusal(error, ticket), "provider_error", "temporarily_unavailable")
        const hostile = withParameters(callback, { error: "<script>\n" })
        isRefused(yield* refusal(hostile, ticket), "provider_error", "an unreadable code")
        // Nobody else's refusal counts.
        isRefused(yield* refusal(withParameters(callback, { state: "a" }), ticket), "state", "another state")
        isRefused(
          yield* refusal(withParameters(callback, { iss: other.issuer }), ticket),
          "issuer",
          "another"
        )
      })
    )
  )

  it.live("of another provider is refused, and its code sent to nobody (RFC 9207)", () =>
    run(
      Effect.gen(function* () {
        const { url, ticket } = yield* start()
        const elsewhere = url.replace(provider.issuer, other.issuer)
        const callback = yield* Effect.promise(() => other.signIn(elsewhere, "ada"))
        assert.strictEqual(parametersOf(callback).iss, other.issuer)
        assert.strictEqual(parametersOf(callback).state, parametersOf(url).state)
        const before = provider.asked("token")
        isRefused(yield* refusal(callback, ticket), "issuer", "of another issuer")
        const nameless = withParameters(callback, { iss: undefined })
        isRefused(yield* refusal(nameless, ticket), "issuer", "or of none")
        assert.strictEqual(provider.asked("token"), before)
        const renamed = withParameters(callback, { iss: provider.issuer })
        isRefused(yield* refusal(renamed, ticket), "code_refused", "invalid_grant")
      })
    )
  )

  it.live("need not name its provider where that does not say that it does", () => {
    provider.meddle("metadata", {
      change: ({ authorization_response_iss_parameter_supported: _, ...metadata }) => metadata
    })
    return run(
      Effect.gen(function* () {
        const { callback, ticket } = yield* begun()
        isRefused(
          yield* refusal(withParameters(callback, { iss: other.issuer }), ticket),
          "issuer",
          "another"
        )
        yield* finish(withParameters(callback, { iss: undefined }), ticket)
      })
    )
  })
})

describe("a ticket", () => {
  const isOld = (fault: OpenIdConnectFailed, says: string) => isRefused(fault, "ticket_missing_or_old", says)

  it.live("is needed", () =>
    run(
      Effect.gen(function* () {
        const { callback, ticket } = yield* begun()
        isOld(yield* refusal(callback, undefined), "no ticket")
        for (const wrong of ["", "a.b.c", `${ticket} `, `${ticket}=`, "x".repeat(9_000)])
          isOld(yield* refusal(callback, wrong), "malformed")
      })
    )
  )

  it.live("is good for ten minutes", () => {
    const hands = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)
    return run(
      Effect.gen(function* () {
        const { callback, ticket } = yield* begun()
        hands.advance(10 * Micros.MINUTE)
        isOld(yield* refusal(callback, ticket), "is old")
        hands.advance(-1)
        yield* finish(callback, ticket)
      })
    ).pipe(Effect.provideService(Clock.Clock, standing(hands.clock)))
  })

  it.live("is refused when any part of it is changed", () =>
    run(
      Effect.gen(function* () {
        const { callback, ticket } = yield* begun()
        const [header = "", payload = "", signature = ""] = ticket.split(".")
        const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
        const claims = decodeJwt(ticket)
        const later = encode({ ...claims, exp: (claims.exp ?? 0) + 600 })
        isOld(yield* refusal(callback, `${header}.${later}.${signature}`), "not authentic")
        const none = encode({ alg: "none", kid: "a" })
        isOld(yield* refusal(callback, `${none}.${payload}.`), "malformed")
        const unknown = encode({ alg: "HS256", kid: "00000000", typ: "JWT" })
        isOld(yield* refusal(callback, `${unknown}.${payload}.${signature}`), "unknown key")
        const flipped = signature.startsWith("A") ? `B${signature.slice(1)}` : `A${signature.slice(1)}`
        isOld(yield* refusal(callback, `${header}.${payload}.${flipped}`), "not authentic")
        yield* finish(callback, ticket)
      })
    )
  )

  it.live("of a service with other keys is refused, also if it names a key that is here", () =>
    Effect.gen(function* () {
      const theirs = yield* Effect.provide(begun(), service(provider.issuer, { secretKeys: [OTHER_KEY] }))
      const mine = service(provider.issuer)
      isOld(yield* Effect.provide(refusal(theirs.callback, theirs.ticket), mine), "unknown key")
      const ours = yield* Effect.provide(start(), mine)
      const [header] = ours.ticket.split(".")
      const renamed = [header, ...theirs.ticket.split(".").slice(1)].join(".")
      isOld(yield* Effect.provide(refusal(theirs.callback, renamed), mine), "not authentic")
    })
  )

  it.live("is no other token of the service, and is signed with a key that nothing else is", () =>
    run(
      Effect.gen(function* () {
        const { callback, ticket } = yield* begun()
        const [header = "", payload = ""] = ticket.split(".")
        const { kid = "" } = JSON.parse(Buffer.from(header, "base64url").toString())
        const text = Buffer.from(payload, "base64url").toString()
        const own = hkdfSync("sha256", Buffer.from(SECRET_KEY, "base64"), "", "cairn.sign-in.v1", 32)
        const code = createHmac("sha256", Buffer.from(own)).update(`${header}.${payload}`).digest("base64url")
        assert.strictEqual(ticket, `${header}.${payload}.${code}`)
        const { sign } = yield* Effect.provide(TokenSigner, layerTokenSigner)
        const key = new Uint8Array(Buffer.from(SECRET_KEY, "base64"))
        isOld(yield* refusal(callback, yield* sign({ keyId: kid, key, payload: text })), "not authentic")
        const viewer = yield* sign({
          keyId: kid,
          key,
          payload: text.replace("cairn:sign-in", "cairn:viewer")
        })
        isOld(yield* refusal(callback, viewer), "malformed")
      })
    )
  )

  it.live("for another provider is refused", () =>
    Effect.gen(function* () {
      const { callback, ticket } = yield* Effect.provide(begun(other), service(other.issuer))
      isOld(yield* Effect.provide(refusal(callback, ticket), service(provider.issuer)), "another provider")
    })
  )
})

/** How an ID token is made of the claims of the real one, which are all as they should be. */
type Forgery = (claims: JWTPayload, original: string) => Promise<string | undefined>

const signedBy =
  (key: Parameters<SignJWT["sign"]>[0], header: { readonly alg: string; readonly kid?: string }): Forgery =>
  (claims) =>
    new SignJWT(claims).setProtectedHeader(header).sign(key)

const changed =
  (change: (claims: JWTPayload) => JWTPayload): Forgery =>
  (claims) =>
    provider.sign(change(claims))

const without = (name: string) =>
  changed((claims) => Object.fromEntries(Object.entries(claims).filter(([known]) => known !== name)))

const HEADER = { alg: "RS256", kid: "provider-key" }
const now = () => Math.floor(Date.now() / 1_000)
const foreign = await generateKeyPair("RS256")
const text = (value: string) => new TextEncoder().encode(value)

describe("an ID token", () => {
  /** Signs in while the provider's ID token is replaced by another. */
  const forged = (forgery: Forgery) => {
    provider.meddle("token", {
      change: async (answer) => {
        const original = String(answer.id_token)
        const { id_token: _, ...rest } = answer
        const made = await forgery(decodeJwt(original), original)
        return made === undefined ? rest : { ...rest, id_token: made }
      }
    })
    return Effect.flatMap(begun(), ({ callback, ticket }) => Effect.result(finish(callback, ticket)))
  }

  it.live("that the provider signs anew is taken, so that what follows is refused for what it is", () =>
    run(
      Effect.gen(function* () {
        assert.strictEqual((yield* forged(changed((claims) => claims)))._tag, "Success")
        assert.strictEqual(
          (yield* forged(changed((claims) => ({ ...claims, aud: ["cairn"] }))))._tag,
          "Success"
        )
      })
    )
  )

  const cases: ReadonlyArray<readonly [name: string, forgery: Forgery, says: string]> = [
    ["with another nonce", changed((claims) => ({ ...claims, nonce: "other" })), '"nonce" claim value'],
    ["without a nonce", without("nonce"), '"nonce" (nonce) claim missing'],
    [
      "for another client",
      changed((claims) => ({ ...claims, aud: "other" })),
      '"aud" (audience) claim value'
    ],
    [
      "for another client too",
      changed((claims) => ({ ...claims, aud: ["cairn", "other"] })),
      "additional untrusted audiences"
    ],
    [
      "that another client asked for",
      changed((claims) => ({ ...claims, aud: ["cairn", "other"], azp: "other" })),
      '"azp"'
    ],
    [
      "for this client, that another one asked for",
      changed((claims) => ({ ...claims, azp: "other" })),
      "for another client"
    ],
    ["without an audience", without("aud"), '"aud" (audience) claim missing'],
    [
      "of another issuer",
      changed((claims) => ({ ...claims, iss: "https://idp.example.com" })),
      '"iss" (issuer) claim value'
    ],
    ["of no issuer", without("iss"), '"iss" (issuer) claim missing'],
    ["that has expired", changed((claims) => ({ ...claims, exp: now() - 60 })), "expiration is past"],
    ["that never expires", without("exp"), '"exp" (expiration time) claim missing'],
    ["that is not valid yet", changed((claims) => ({ ...claims, nbf: now() + 600 })), '"nbf" (not before)'],
    ["without a subject", without("sub"), '"sub" (subject) claim missing'],
    [
      "with a subject that is too long",
      changed((claims) => ({ ...claims, sub: "a".repeat(256) })),
      "no account"
    ],
    ["with a subject of other letters", changed((claims) => ({ ...claims, sub: "a\u0000b" })), "no account"],
    ["that is missing", async () => undefined, '"id_token"'],
    [
      "of another key by the same name",
      signedBy(foreign.privateKey, HEADER),
      "signature verification failed"
    ],
    [
      "of another key without a name",
      signedBy(foreign.privateKey, { alg: "RS256" }),
      "signature verification failed"
    ],
    [
      "of a key that the provider does not have",
      signedBy(foreign.privateKey, { alg: "RS256", kid: "other" }),
      "no applicable keys"
    ],
    [
      "whose claims were changed",
      async (claims, original) => {
        const [header, , signature] = original.split(".")
        const payload = Buffer.from(JSON.stringify({ ...claims, sub: "root" })).toString("base64url")
        return `${header}.${payload}.${signature}`
      },
      "signature verification failed"
    ],
    ["that is not signed", async (claims) => new UnsecuredJWT(claims).encode(), '"alg"'],
    [
      "whose signature was cut off",
      async (_, original) => `${original.split(".").slice(0, 2).join(".")}.`,
      "signature verification failed"
    ],
    ["signed with the client's secret", signedBy(text(CLIENT_SECRET), { alg: "HS256" }), "alg"],
    ["that is no token", async () => "a.b", "Invalid JWT"]
  ]

  for (const [name, forgery, says] of cases) {
    it.live(`${name} is refused`, () =>
      run(
        Effect.map(forged(forgery), (result) => {
          if (result._tag === "Success") return assert.fail(`${name} was taken`)
          isRefused(result.failure, "token_invalid", says)
        })
      )
    )
  }

  it.live("is not believed by a secret, nor unsigned, where the provider says that it does so", () => {
    provider.meddle("metadata", {
      change: (metadata) => ({
        ...metadata,
        id_token_signing_alg_values_supported: ["RS256", "HS256", "none", "None"]
      })
    })
    const secrets = [CLIENT_SECRET, provider.publicKey, ""]
    const hmac =
      (secret: string): Forgery =>
      async (claims) => {
        const parts = [{ alg: "HS256", kid: HEADER.kid }, claims].map((part) =>
          Buffer.from(JSON.stringify(part)).toString("base64url")
        )
        const code = createHmac("sha256", secret).update(parts.join(".")).digest("base64url")
        return [...parts, code].join(".")
      }
    const unsigned =
      (alg: string): Forgery =>
      async (claims) =>
        `${[{ alg, kid: HEADER.kid }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.`
    return run(
      Effect.gen(function* () {
        for (const forgery of [...secrets.map(hmac), unsigned("none"), unsigned("None")]) {
          const result = yield* forged(forgery)
          if (result._tag === "Success") return assert.fail("it was taken")
          isRefused(result.failure, "token_invalid", "unsupported JWS")
        }
        assert.strictEqual((yield* forged(changed((claims) => claims)))._tag, "Success")
      })
    )
  })

  it.live("with an extension that must be understood is refused", () =>
    run(
      Effect.gen(function* () {
        const result = yield* forged(async (claims) => {
          const header = Buffer.from(JSON.stringify({ ...HEADER, crit: ["exp"], exp: 1 })).toString(
            "base64url"
          )
          const [, payload, signature] = (await provider.sign(claims)).split(".")
          return `${header}.${payload}.${signature}`
        })
        if (result._tag === "Success") return assert.fail("it was taken")
        isRefused(result.failure, "token_invalid", "crit")
      })
    )
  )
})

describe("the userinfo", () => {
  it.live("of somebody else is refused", () =>
    Effect.provide(
      Effect.gen(function* () {
        yield* Effect.flatMap(begun(thin), ({ callback, ticket }) => finish(callback, ticket))
        for (const [sub, says] of [
          ["eve", '"sub" property value'],
          [undefined, '"sub" property']
        ] as const) {
          thin.meddle("userinfo", { change: (answer) => ({ ...answer, sub }) })
          const { callback, ticket } = yield* begun(thin)
          isRefused(yield* refusal(callback, ticket), "token_invalid", says)
        }
      }),
      service(thin.issuer)
    )
  )
})
