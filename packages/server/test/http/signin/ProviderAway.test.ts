/** A real provider that is away, slow, broken or wrongly configured, and what the log says of it. */
import { afterAll, afterEach, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { decodeJwt } from "jose"
import { eventually } from "../../support/Eventually.ts"
import {
  CLIENT_SECRET,
  type Meddling,
  type OidcPart,
  type OidcProvider,
  startOidcProvider
} from "../../support/OidcProvider.ts"
import { finish, parametersOf, refusal, service, start } from "./SignInFixture.ts"

const ACCOUNTS = [{ sub: "ada", email: "ada@example.com", email_verified: true }]
/** Milliseconds that a provider may take that does not answer. */
const SHORT = 300

let provider: OidcProvider
let other: OidcProvider

beforeAll(async () => {
  provider = await startOidcProvider({ accounts: ACCOUNTS, claimsIn: "userinfo" })
  other = await startOidcProvider({ accounts: ACCOUNTS })
})
afterEach(() => {
  provider.behave()
})
afterAll(async () => {
  await provider.close()
  await other.close()
})

const begun = Effect.fnUntraced(function* () {
  const { url, ticket } = yield* start()
  return { ticket, callback: yield* Effect.promise(() => provider.signIn(url, "ada")) }
})
const signIn = Effect.flatMap(begun(), ({ callback, ticket }) => finish(callback, ticket))

/** Waits until no request does that nobody waits for. */
const nothingHangs = () => eventually("the requests end", () => provider.hanging() === 0 || undefined)

/** What stands in the log but for what the provider's own library says. */
const errors = (log: ReadonlyArray<string>) => log.filter((line) => /identity provider/.test(line))

describe("a provider that is away", () => {
  it.live("at the beginning is asked again by the next who signs in, and said to be away once", () => {
    const log: Array<string> = []
    return Effect.gen(function* () {
      yield* Effect.promise(() => provider.down())
      for (let index = 0; index < 3; index++) {
        const { reason, detail } = yield* Effect.flip(start())
        assert.strictEqual(reason, "unreachable")
        assert.include(detail, "ECONNREFUSED")
      }
      assert.lengthOf(errors(log), 1)
      assert.match(errors(log)[0] ?? "", /^Error The identity provider fails, its metadata: no answer from/)
      yield* Effect.promise(() => provider.up())
      yield* start()
      yield* start()
      assert.lengthOf(errors(log), 2)
      assert.match(errors(log)[1] ?? "", /^Info The identity provider works again, its metadata/)
    }).pipe(Effect.provide(service(provider.issuer, { log })))
  })

  it.live("at the end is said to be away once, and the next who signs in is", () => {
    const log: Array<string> = []
    return Effect.gen(function* () {
      const signIns = yield* Effect.all([begun(), begun(), begun()])
      yield* Effect.promise(() => provider.down())
      for (const { callback, ticket } of signIns) {
        assert.strictEqual((yield* refusal(callback, ticket)).reason, "unreachable")
      }
      yield* Effect.promise(() => provider.up())
      const [first] = signIns
      // The provider never saw its code.
      yield* finish(first?.callback ?? "", first?.ticket)
      assert.deepStrictEqual(
        errors(log).map((line) => line.split(":")[0]),
        [
          "Error The identity provider fails, its tokens",
          "Info The identity provider works again, its tokens"
        ]
      )
    }).pipe(Effect.provide(service(provider.issuer, { log })))
  })

  it.live("keeps everybody waiting for one request, and for no longer than the limit", () =>
    Effect.gen(function* () {
      provider.meddle("metadata", "hang")
      const before = provider.asked("metadata")
      const began = performance.now()
      const faults = yield* Effect.all(
        Array.from({ length: 10 }, () => Effect.flip(start())),
        { concurrency: "unbounded" }
      )
      assert.isBelow(performance.now() - began, 10 * SHORT)
      assert.strictEqual(provider.asked("metadata"), before + 1)
      yield* Effect.promise(() => nothingHangs())
      for (const { reason, detail } of faults) {
        assert.strictEqual(reason, "unreachable")
        assert.include(detail, "in time")
      }
      provider.behave()
      yield* start()
    }).pipe(Effect.provide(service(provider.issuer, { limitMillis: SHORT })))
  )

  it.live("goes on for the others when one of those who wait goes away", () =>
    Effect.gen(function* () {
      let answer = () => {}
      const answered = new Promise<void>((resolve) => {
        answer = resolve
      })
      provider.meddle("metadata", { change: (metadata) => answered.then(() => metadata) })
      const before = provider.asked("metadata")
      const leaver = yield* Effect.forkChild(start())
      const stayer = yield* Effect.forkChild(start())
      yield* Effect.promise(async () => {
        while (provider.asked("metadata") === before) await new Promise((resolve) => setTimeout(resolve, 5))
      })
      yield* Fiber.interrupt(leaver)
      answer()
      assert.isNotEmpty((yield* Fiber.join(stayer)).url)
      assert.strictEqual(provider.asked("metadata"), before + 1)
    }).pipe(Effect.provide(service(provider.issuer)))
  )

  for (const part of ["keys", "token", "userinfo"] as const) {
    it.live(`for its ${part} ends a sign-in in time`, () =>
      Effect.gen(function* () {
        const { callback, ticket } = yield* begun()
        provider.meddle(part, "hang")
        const began = performance.now()
        const { reason } = yield* refusal(callback, ticket)
        assert.strictEqual(reason, "unreachable")
        assert.isBelow(performance.now() - began, 10 * SHORT)
        yield* Effect.promise(() => nothingHangs())
      }).pipe(Effect.provide(service(provider.issuer, { limitMillis: SHORT })))
    )
  }
})

describe("a provider that answers wrongly", () => {
  const cases: ReadonlyArray<readonly [part: OidcPart, meddling: Meddling, reason: string, says: string]> = [
    ["metadata", "large", "provider_error", "more than 1048576 bytes"],
    ["keys", "large", "provider_error", "more than 1048576 bytes"],
    ["token", "large", "provider_error", "more than 1048576 bytes"],
    ["userinfo", "large", "provider_error", "more than 1048576 bytes"],
    ["metadata", "reset", "unreachable", "no answer from"],
    ["token", "reset", "unreachable", "no answer from"],
    ["metadata", { change: (answer) => answer, status: 503 }, "provider_error", "503"],
    ["token", { change: (answer) => answer, status: 500 }, "provider_error", "500"],
    ["userinfo", { change: (answer) => answer, status: 500 }, "provider_error", "500"],
    ["keys", { change: () => ({ keys: "none" }) }, "token_invalid", '"keys" property'],
    ["keys", { change: () => ({ keys: [] }) }, "token_invalid", "no applicable keys"],
    ["metadata", { change: () => ({}) }, "provider_error", '"issuer"'],
    [
      "metadata",
      { change: (answer) => ({ ...answer, issuer: "https://idp.example.com" }) },
      "provider_error",
      "issuer"
    ],
    [
      "metadata",
      { change: ({ token_endpoint: _, ...answer }) => answer },
      "provider_error",
      "token_endpoint"
    ],
    ["metadata", { change: ({ jwks_uri: _, ...answer }) => answer }, "provider_error", "jwks_uri"],
    [
      "metadata",
      { change: (answer) => ({ ...answer, token_endpoint: "http://192.0.2.1/token" }) },
      "provider_error",
      "192.0.2.1 is not called by plain http"
    ],
    [
      "token",
      { change: () => ({ error: "invalid_client" }), status: 401 },
      "provider_error",
      "invalid_client"
    ],
    ["token", { change: () => ({ error: "\u0007bad\n" }), status: 400 }, "provider_error", "unreadable"]
  ]
  for (const [part, meddling, reason, says] of cases) {
    it.live(`in its ${part} (${reason}, ${says}) signs nobody in, and is in the log`, () => {
      const log: Array<string> = []
      provider.meddle(part, meddling)
      return Effect.gen(function* () {
        const fault = yield* Effect.flip(signIn)
        assert.strictEqual(fault.reason, reason, fault.detail)
        assert.include(fault.detail, says)
        assert.lengthOf(errors(log), 1)
        assert.include(errors(log)[0], fault.detail)
      }).pipe(Effect.provide(service(provider.issuer, { log })))
    })
  }

  for (const part of ["metadata", "token", "keys", "userinfo"] as const) {
    it.live(`by a redirect of its ${part} is not followed`, () =>
      Effect.gen(function* () {
        const before = other.asked(part)
        const path = {
          metadata: "/.well-known/openid-configuration",
          token: "/token",
          keys: "/jwks",
          userinfo: "/me"
        }
        provider.meddle(part, { redirectTo: `${other.issuer}${path[part]}` })
        const fault = yield* Effect.flip(signIn)
        assert.strictEqual(fault.reason, "provider_error", fault.detail)
        assert.include(fault.detail, "307")
        assert.strictEqual(other.asked(part), before)
      }).pipe(Effect.provide(service(provider.issuer)))
    )
  }
})

describe("a provider for many tenants", () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it.live("is refused, whoever's tenant it would be", () => {
    const issuer = "https://login.microsoftonline.com/common/v2.0"
    const metadata = {
      issuer: "https://login.microsoftonline.com/{tenantid}/v2.0",
      authorization_endpoint: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
      token_endpoint: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
      jwks_uri: "https://login.microsoftonline.com/common/discovery/v2.0/keys"
    }
    const asked: Array<string> = []
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
      asked.push(String(input))
      return Response.json(metadata)
    })
    return Effect.gen(function* () {
      const { reason, detail } = yield* Effect.flip(start())
      assert.deepStrictEqual(asked, [`${issuer}/.well-known/openid-configuration`])
      assert.deepStrictEqual([reason, detail], ["provider_error", "its metadata name another issuer"])
    }).pipe(Effect.provide(service(issuer)))
  })
})

describe("a failure that anybody can cause", () => {
  it.live("is not in the log", () => {
    const log: Array<string> = []
    return Effect.gen(function* () {
      const { callback, ticket } = yield* begun()
      yield* refusal(callback, undefined)
      yield* refusal(`${callback}x`, ticket)
      yield* refusal(callback.replace(/code=[^&]+/, "code=made-up"), ticket)
      yield* refusal(callback.replace(/code=[^&]+/, "error=server_error"), ticket)
      assert.deepStrictEqual(errors(log), [])
    }).pipe(Effect.provide(service(provider.issuer, { log })))
  })
})

describe("what is told of failures", () => {
  it.live("holds no secret, code or token", () => {
    const log: Array<string> = []
    const told: Array<string> = []
    const secrets: Array<string> = [CLIENT_SECRET, "wrong-secret-wrong-secret-wrong-secret"]
    const meddlings: ReadonlyArray<readonly [OidcPart, Meddling]> = [
      ["token", { change: (answer) => answer, status: 500 }],
      ["token", { change: (answer) => ({ error: String(answer.access_token) }), status: 400 }],
      ["token", { change: (answer) => ({ ...answer, id_token: `${answer.id_token}x` }) }],
      ["token", { change: (answer) => ({ ...answer, token_type: String(answer.access_token) }) }],
      ["userinfo", { change: (answer) => ({ ...answer, sub: "x" }) }],
      ["keys", { change: () => ({ keys: [] }) }]
    ]
    const attempt = Effect.gen(function* () {
      const { callback, ticket } = yield* begun()
      const { code = "", state = "" } = parametersOf(callback)
      const { verifier, nonce } = decodeJwt(ticket)
      secrets.push(code, state, ticket, String(verifier), String(nonce))
      const fault = yield* refusal(callback, ticket)
      told.push(fault.message, fault.detail, JSON.stringify(fault), String(fault))
    })
    return Effect.gen(function* () {
      for (const [part, meddling] of meddlings) {
        provider.meddle(part, meddling)
        yield* Effect.provide(attempt, service(provider.issuer, { log }))
        provider.behave()
      }
      const settings = { clientSecret: "wrong-secret-wrong-secret-wrong-secret" }
      yield* Effect.provide(attempt, service(provider.issuer, { log, settings }))
      const all = [...log, ...told].join("\n")
      assert.isAbove(told.length, 20)
      for (const secret of secrets) assert.notInclude(all, secret)
      assert.notMatch(all, /eyJ/)
    })
  })
})
