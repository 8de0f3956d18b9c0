import { Micros, parseNetwork } from "@cairn/core/encoding"
import { Randomness } from "@cairn/core/hashing"
import { ApiKeys, apiKeyPublicId, generateApiKey } from "@cairn/core/workspace"
import { manualClock, meteredValue } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { hashSync } from "bcrypt"
import { Clock, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { Authenticator } from "../../src/http/gate/Authenticator.ts"
import { SecretCheckLimits } from "../../src/http/gate/SecretCheck.ts"
import { isUnmarked } from "../../src/secret/MarkedSalt.ts"
import { breakableStorage, setBroken } from "./BreakableStorage.ts"
import { standing } from "./StandingClock.ts"
import { storage } from "./Storage.ts"
import { EVENT, makeKey, makeTenant, makeWorkspace, send, testServer, testServerOver } from "./TestServer.ts"

const EVENTS = "/api/v1/events"
const loopback = [parseNetwork("127.0.0.1")].filter((network) => network !== undefined)

/** A key with the public id of `key`, another secret and the right checksum. */
const guessAt = Effect.fnUntraced(function* (key: string) {
  const random = yield* Randomness
  const id = new TextEncoder().encode(key.slice(6, 14))
  // The generator draws base62 digits from bytes; these give back the public id, then anything.
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
  let first = true
  const { key: guess } = generateApiKey({
    bytes: (count) => {
      if (!first) return random.bytes(count)
      first = false
      return Uint8Array.from(id, (code) => digits.indexOf(String.fromCharCode(code)))
    }
  })
  assert.strictEqual(apiKeyPublicId(guess), apiKeyPublicId(key))
  assert.notStrictEqual(guess, key)
  return guess
})

/** A workspace with a key whose hash has a salt at random, as earlier versions stored it. */
const makeEarlier = Effect.gen(function* () {
  const workspace = yield* makeWorkspace()
  const random = yield* Randomness
  const { key, publicId } = generateApiKey(random)
  yield* makeKey(workspace.id, undefined, { public_id: publicId, hash: hashSync(key, 4) })
  return { workspace, key }
})

/** A moment of real time: what a store does takes some, whatever the test's clock says. */
const moment = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 10)))

/** Waits until the poll that the clock has set off is done. */
const untilRefused = Effect.fnUntraced(function* (key: string) {
  for (let look = 1; look <= 500; look++) {
    if ((yield* send({ path: EVENTS, key })).status === 401) return
    yield* moment
    // A poll that was under way then waits from now on. The clock goes on by few seconds: each has its poll.
    if (look % 100 === 0) yield* TestClock.adjust("1 second")
  }
  assert.fail("the key is still taken")
})

describe("A request without a valid key", () => {
  it.live("is 401 unauthenticated with a challenge, on every endpoint under /api/v1", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const unknown = generateApiKey(yield* Randomness).key
      const headers: ReadonlyArray<Record<string, string>> = [
        {},
        { authorization: "" },
        { authorization: "Bearer" },
        { authorization: "Bearer " },
        { authorization: key },
        { authorization: `Basic ${key}` },
        { authorization: `Bearer ${key} ${key}` },
        { authorization: `Bearer ${key.slice(0, -1)}` },
        { authorization: `Bearer ${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}` },
        { authorization: `Bearer ${unknown}` },
        { authorization: `Bearer ${yield* guessAt(key)}` },
        { authorization: `Bearer ${"x".repeat(8000)}` }
      ]
      for (const given of headers) {
        const response = yield* send({ path: EVENTS, headers: given })
        assert.strictEqual(response.status, 401, given.authorization)
        assert.strictEqual(response.json().error, "unauthenticated")
        assert.match(String(response.headers["www-authenticate"]), /^Bearer realm="cairn"/)
      }
      for (const path of [
        "/api/v1/verify",
        "/api/v1/workspace",
        "/api/v1/api-keys",
        "/api/v1/api-keys/x",
        `${EVENTS}/x`
      ]) {
        assert.strictEqual((yield* send({ path })).status, 401, path)
      }
      assert.strictEqual((yield* send({ path: EVENTS, body: EVENT })).status, 401)
      assert.strictEqual((yield* send({ path: `${EVENTS}/batch`, body: { events: [EVENT] } })).status, 401)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is refused before its body is read", () =>
    Effect.gen(function* () {
      const response = yield* send({
        path: EVENTS,
        headers: { "content-type": "application/json", "content-length": "1000" },
        write: (request) => request.flushHeaders()
      })
      assert.strictEqual(response.status, 401)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A valid key", () => {
  it.live("is taken with the scheme in any case", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (const scheme of ["Bearer", "bearer", "BEARER", "Bearer "]) {
        const response = yield* send({ path: EVENTS, headers: { authorization: `${scheme} ${key}` } })
        assert.strictEqual(response.status, 200, scheme)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("may do what its scopes say and nothing else", () =>
    Effect.gen(function* () {
      const { id } = yield* makeWorkspace()
      const endpoints: ReadonlyArray<readonly [string, string, string, unknown]> = [
        ["ingest", "POST", EVENTS, EVENT],
        ["ingest", "POST", `${EVENTS}/batch`, { events: [EVENT] }],
        ["read", "GET", EVENTS, undefined],
        ["read", "GET", `${EVENTS}/x`, undefined],
        ["read", "GET", "/api/v1/verify", undefined],
        ["admin", "GET", "/api/v1/workspace", undefined],
        ["admin", "PATCH", "/api/v1/workspace", {}],
        ["admin", "GET", "/api/v1/api-keys", undefined],
        ["admin", "POST", "/api/v1/api-keys", { scopes: ["admin"] }],
        ["admin", "GET", "/api/v1/api-keys/x", undefined],
        ["admin", "DELETE", "/api/v1/api-keys/x", undefined]
      ]
      for (const scope of ["ingest", "read", "export", "viewer", "admin"] as const) {
        const { key } = yield* makeKey(id, [scope])
        for (const [needed, method, path, body] of endpoints) {
          const response = yield* send({ path, method, key, body })
          if (needed === scope) assert.notInclude([401, 403], response.status, `${scope} ${method} ${path}`)
          else {
            assert.strictEqual(response.status, 403, `${scope} ${method} ${path}`)
            assert.deepStrictEqual(response.json(), {
              error: "insufficient_scope",
              message: `The API key lacks the scope ${needed}`
            })
          }
        }
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.effect("has its last use noted, seconds later", () =>
    Effect.gen(function* () {
      const { key, stored, workspace } = yield* makeTenant()
      const noted = Effect.map((yield* ApiKeys).get(workspace.id, stored.id), (found) =>
        Option.match(found, { onNone: () => null, onSome: ({ last_used_at }) => last_used_at })
      )
      yield* TestClock.adjust("2 seconds")
      yield* send({ path: EVENTS, key })
      assert.isNull(yield* noted)
      yield* TestClock.adjust("3 seconds")
      // The round that writes may have begun a moment after the test did.
      const time = yield* noted.pipe(
        Effect.tap(() => Effect.andThen(TestClock.adjust("1 second"), moment)),
        Effect.repeat({ times: 100, until: (found) => found !== null })
      )
      assert.strictEqual(time, 2 * Micros.SECOND)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A key that expires", () => {
  const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)

  it.live("is 401 from that moment on, also where it is known", () =>
    Effect.gen(function* () {
      const { id } = yield* makeWorkspace()
      const expires_at = (Micros.parse("2026-05-01T12:00:00Z") ?? 0) + Micros.MINUTE
      const { key } = yield* makeKey(id, ["read"], { expires_at })
      assert.strictEqual((yield* send({ path: EVENTS, key })).status, 200)
      time.advance(Micros.MINUTE - 1000)
      assert.strictEqual((yield* send({ path: EVENTS, key })).status, 200)
      time.advance(1000)
      for (let count = 0; count < 2; count++) {
        const response = yield* send({ path: EVENTS, key })
        assert.strictEqual(response.status, 401)
        assert.strictEqual(response.json().error, "unauthenticated")
      }
    }).pipe(Effect.provide(testServer()), Effect.provideService(Clock.Clock, standing(time.clock)))
  )
})

describe("A key that is revoked elsewhere", () => {
  it.effect("is 401 once the next poll has seen it, and stays so", () =>
    Effect.gen(function* () {
      const { key, stored, workspace } = yield* makeTenant()
      assert.strictEqual((yield* send({ path: EVENTS, key })).status, 200)
      yield* (yield* ApiKeys).revoke(workspace.id, stored.id, yield* Micros.now)
      // This process remembers the key, so what it answers in this very second is not promised.
      yield* TestClock.adjust("1 second")
      yield* untilRefused(key)
      for (let count = 0; count < 3; count++) {
        assert.strictEqual((yield* send({ path: EVENTS, key })).status, 401)
        yield* TestClock.adjust("1 second")
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.effect("is noticed although its revocation became visible late, or the other clock is behind", () =>
    Effect.gen(function* () {
      const { key, stored, workspace } = yield* makeTenant()
      assert.strictEqual((yield* send({ path: EVENTS, key })).status, 200)
      yield* TestClock.adjust("50 seconds")
      yield* (yield* ApiKeys).revoke(workspace.id, stored.id, (yield* Micros.now) - 45 * Micros.SECOND)
      yield* TestClock.adjust("1 second")
      yield* untilRefused(key)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A key that is revoked while the store is away", () => {
  it.effect("is noticed when the store is back, however long that took", () =>
    Effect.gen(function* () {
      const { key, stored, workspace } = yield* makeTenant()
      assert.strictEqual((yield* send({ path: EVENTS, key })).status, 200)
      yield* (yield* ApiKeys).revoke(workspace.id, stored.id, yield* Micros.now)
      yield* setBroken(true)
      yield* TestClock.adjust("10 minutes")
      yield* setBroken(false)
      yield* TestClock.adjust("1 second")
      yield* untilRefused(key)
    }).pipe(Effect.provide(testServerOver(breakableStorage.pipe(Layer.provideMerge(storage())))))
  )
})

describe("A key that this process has not seen yet", () => {
  it.live("is answered while a thousand addresses send wrong secrets for its id, each time", () =>
    Effect.gen(function* () {
      const { key, stored } = yield* makeTenant()
      const { forget } = yield* Authenticator
      const wrong = (address: number) =>
        Effect.flatMap(guessAt(key), (guess) =>
          send({
            path: EVENTS,
            key: guess,
            headers: { "x-forwarded-for": `203.0.${address >> 8}.${address & 255}` }
          })
        )
      const tries = Array.from({ length: 100 }, (_, index) => index)
      const outcomes = yield* Effect.forEach(
        tries,
        Effect.fnUntraced(function* (index) {
          // Ten of the thousand at a time, and the owner among them, at an address of theirs.
          const flood = Array.from({ length: 10 }, (_, place) => wrong(index * 10 + place))
          forget(stored.id)
          const right = send({ path: EVENTS, key, headers: { "x-forwarded-for": "203.0.0.1" } })
          return yield* Effect.all([right, ...flood], { concurrency: "unbounded" })
        })
      )
      const statuses = outcomes.map((answers) => answers.map(({ status }) => status))
      assert.deepStrictEqual(
        statuses,
        tries.map(() => [200, ...Array.from({ length: 10 }, () => 401)])
      )
    }).pipe(
      Effect.provide(
        testServer({ config: { trustedProxies: loopback } }).pipe(
          // Nothing that might be wrong is compared.
          Layer.provide(
            Layer.succeed(SecretCheckLimits, {
              concurrency: 1,
              waiting: 0,
              perAddress: { burst: 0, refillMillis: 1_000_000 },
              perKey: { burst: 0, refillMillis: 1_000_000 }
            })
          )
        )
      )
    )
  )
})

describe("A flood of wrong keys for one that an earlier version has made", () => {
  const still = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)

  it.live("is shed with 503 and Retry-After after a few, and known keys never notice", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeEarlier
      const known = (yield* makeKey(workspace.id)).key
      const good = send({ path: EVENTS, key: known })
      assert.strictEqual((yield* good).status, 200)
      const guesses = yield* Effect.forEach(Array.from({ length: 60 }), () => guessAt(key))
      const answers = yield* Effect.forEach(guesses, (guess) => send({ path: EVENTS, key: guess }), {
        concurrency: 20
      })
      const statuses = answers.map(({ status }) => status)
      assert.isAtMost(statuses.filter((status) => status === 401).length, 6)
      assert.isAtLeast(statuses.filter((status) => status === 503).length, 54)
      for (const response of answers.filter(({ status }) => status === 503)) {
        assert.strictEqual(response.json().error, "unavailable")
        assert.match(String(response.headers["retry-after"]), /^[1-9]\d*$/)
      }
      assert.strictEqual((yield* good).status, 200)
      // The guesser's own address is spent, for keys that are not known yet too; it is forgiven by and by.
      const { key: fresh } = yield* makeEarlier
      assert.strictEqual((yield* send({ path: EVENTS, key: (yield* makeKey(workspace.id)).key })).status, 200)
      assert.strictEqual((yield* send({ path: EVENTS, key: fresh })).status, 503)
      assert.isAtLeast(
        (yield* meteredValue("cairn_limited_requests_total", { limit: "failed_keys" })) ?? 0,
        55
      )
    }).pipe(
      Effect.provide(testServer()),
      // On which nothing is forgiven meanwhile.
      Effect.provideService(Clock.Clock, standing(still.clock))
    )
  )

  it.live("is told from the right key as soon as that was used once", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeEarlier
      assert.strictEqual((yield* send({ path: EVENTS, key })).status, 200)
      const keys = yield* ApiKeys
      const renewed = keys.list(workspace.id).pipe(
        Effect.tap(() => moment),
        Effect.repeat({ times: 500, until: ([one]) => one !== undefined && !isUnmarked(one.hash) })
      )
      assert.isFalse((yield* renewed).some(({ hash }) => isUnmarked(hash)))
      const guesses = yield* Effect.forEach(Array.from({ length: 60 }), () => guessAt(key))
      const answers = yield* Effect.forEach(guesses, (guess) => send({ path: EVENTS, key: guess }), {
        concurrency: 20
      })
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [401])
      assert.strictEqual((yield* send({ path: EVENTS, key })).status, 200)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("does not lock out the key's owner at another address", () =>
    Effect.gen(function* () {
      const { key } = yield* makeEarlier
      const guesses = yield* Effect.forEach(Array.from({ length: 15 }), () => guessAt(key))
      yield* Effect.forEach(guesses, (guess) =>
        send({ path: EVENTS, key: guess, headers: { "x-forwarded-for": "203.0.113.66" } })
      )
      const owner = yield* send({ path: EVENTS, key, headers: { "x-forwarded-for": "198.51.100.7" } })
      assert.strictEqual(owner.status, 200)
    }).pipe(Effect.provide(testServer({ config: { trustedProxies: loopback } })))
  )

  it.live("from one /64 of IPv6 counts as one address", () =>
    Effect.gen(function* () {
      const { key } = yield* makeEarlier
      const guesses = yield* Effect.forEach(Array.from({ length: 12 }), () => guessAt(key))
      const answers = yield* Effect.forEach(guesses, (guess, index) =>
        send({ path: EVENTS, key: guess, headers: { "x-forwarded-for": `2001:db8:0:1::${index + 1}` } })
      )
      assert.isAtMost(answers.filter(({ status }) => status === 401).length, 6)
    }).pipe(Effect.provide(testServer({ config: { trustedProxies: loopback } })))
  )
})

describe("A key that nobody has used yet", () => {
  it.live("costs its address nothing, however many there are", () =>
    Effect.gen(function* () {
      for (let count = 0; count < 12; count++) {
        const { key } = yield* makeEarlier
        assert.strictEqual((yield* send({ path: EVENTS, key })).status, 200)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is compared once, however many requests bring it at once", () =>
    Effect.gen(function* () {
      const { key } = yield* makeEarlier
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => send({ path: EVENTS, key })),
        { concurrency: 50 }
      )
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200])
    }).pipe(
      Effect.provide(
        testServer().pipe(
          Layer.provide(
            Layer.succeed(SecretCheckLimits, {
              concurrency: 1,
              waiting: 0,
              perAddress: { burst: 1, refillMillis: 1_000_000 },
              perKey: { burst: 1, refillMillis: 1_000_000 }
            })
          )
        )
      )
    )
  )
})
