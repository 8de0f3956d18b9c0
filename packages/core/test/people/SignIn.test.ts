import { layerSeededRandomness, MemoryStorage } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as Micros from "../../src/encoding/Micros.ts"
import { Sha256 } from "../../src/hashing/Sha256.ts"
import { ClockGuard } from "../../src/log/ClockGuard.ts"
import { type MadeLink, SETUP_LIFE, SignIn } from "../../src/people/SignIn.ts"
import { type Member, Members } from "../../src/workspace/Members.ts"

const NOON = Micros.fromMillis(Date.UTC(2026, 4, 1, 12))
const HOUR = 60 * Micros.MINUTE
const OPTIONS = { idle: 8 * HOUR, lifetime: 7 * Micros.DAY }
const DEVICE = { clientAddress: "192.0.2.1", userAgent: null }
const ADDRESS = "ada@acme.example"

/** The time, which only moves when the test moves it. */
class Time {
  now: Micros.Micros = NOON
  readonly layer = Layer.mock(ClockGuard)({ reckoned: Effect.sync(() => this.now) })
}

const member = (changes: Partial<Member> = {}): Member => ({
  id: "mem_1",
  workspace_id: "wsp_1",
  email: ADDRESS,
  name: "Ada",
  role: "owner",
  confirmed_at: null,
  signed_in_at: null,
  expires_at: null,
  sessions_from: null,
  managed_by: null,
  created_at: NOON,
  updated_at: NOON,
  ...changes
})

/** Runs a test of signing in, with one member unless others are given. */
const signingIn = <A, E>(
  story: (signIn: SignIn["Service"], time: Time) => Effect.Effect<A, E, Members>,
  members: ReadonlyArray<Member> = [member()]
) => {
  const time = new Time()
  const services = Layer.mergeAll(MemoryStorage.layer(), time.layer, layerSeededRandomness(1), Sha256.layer)
  return Effect.gen(function* () {
    const { create } = yield* Members
    for (const one of members) yield* create(one)
    return yield* story(yield* SignIn, time)
  }).pipe(Effect.provide(SignIn.layer(OPTIONS).pipe(Layer.provideMerge(services))))
}

const made = (link: Option.Option<MadeLink>): MadeLink => Option.getOrThrow(link)

/** Why nobody is signed in, or a session is not valid. */
const reasonOf = <E extends object, A>(attempt: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(attempt), (error) => ("reason" in error ? error.reason : error))

describe("a link to sign in", () => {
  it.effect(
    "is sent to members alone, to the address as it is known, three times in a quarter of an hour",
    () =>
      signingIn((signIn, time) =>
        Effect.gen(function* () {
          assert.isTrue(Option.isNone(yield* signIn.requestLink("eve@acme.example", null)))
          for (let sent = 0; sent < 3; sent++)
            assert.strictEqual(
              made(yield* signIn.requestLink("ADA@acme.example", "/x")).link.address,
              ADDRESS
            )
          assert.isTrue(Option.isNone(yield* signIn.requestLink(ADDRESS, null)))
          time.now += 15 * Micros.MINUTE + 1
          assert.isTrue(Option.isSome(yield* signIn.requestLink(ADDRESS, null)))
        })
      )
  )

  it.effect("signs in once, and only in its time", () =>
    signingIn((signIn, time) =>
      Effect.gen(function* () {
        const { secret } = made(yield* signIn.requestLink(ADDRESS, "/back"))
        // Looking does not spend it.
        for (let look = 0; look < 3; look++) assert.isNull((yield* signIn.findLink(secret)).spent_at)
        const { person, session, link } = yield* signIn.byLink(secret, DEVICE)
        assert.deepStrictEqual([person.address, session.method, link.return_to], [ADDRESS, "mail", "/back"])
        assert.strictEqual(yield* reasonOf(signIn.findLink(secret)), "link_spent")
        assert.strictEqual(yield* reasonOf(signIn.byLink(secret, DEVICE)), "link_spent")
        assert.strictEqual(yield* reasonOf(signIn.byLink(`${secret}x`, DEVICE)), "link_unknown")
        const late = made(yield* signIn.requestLink(ADDRESS, null))
        time.now += 15 * Micros.MINUTE
        assert.strictEqual(yield* reasonOf(signIn.byLink(late.secret, DEVICE)), "link_expired")
      })
    )
  )

  it.effect("signs nobody in whose membership has ended since", () =>
    signingIn(
      (signIn, time) =>
        Effect.gen(function* () {
          const { secret } = made(yield* signIn.requestLink(ADDRESS, null))
          time.now += 2 * Micros.MINUTE
          assert.strictEqual(yield* reasonOf(signIn.byLink(secret, DEVICE)), "no_membership")
        }),
      [member({ role: "auditor", expires_at: NOON + Micros.MINUTE })]
    )
  )

  it.effect("that sets the service up signs nobody in, and ends all others like it", () =>
    signingIn((signIn, time) =>
      Effect.gen(function* () {
        const [first, second] = [made(yield* signIn.setupLink), made(yield* signIn.setupLink)]
        assert.strictEqual(yield* reasonOf(signIn.byLink(first.secret, DEVICE)), "link_unknown")
        const ordinary = made(yield* signIn.requestLink(ADDRESS, null))
        assert.strictEqual(yield* reasonOf(signIn.findSetupLink(ordinary.secret)), "link_unknown")
        const { session } = yield* signIn.bySetupLink(first.secret, ADDRESS, DEVICE)
        assert.strictEqual(session.method, "operator")
        for (const { secret } of [first, second])
          assert.strictEqual(yield* reasonOf(signIn.bySetupLink(secret, ADDRESS, DEVICE)), "link_spent")
        const late = made(yield* signIn.setupLink)
        time.now += SETUP_LIFE
        assert.strictEqual(yield* reasonOf(signIn.findSetupLink(late.secret)), "link_expired")
      })
    )
  )
})

describe("a session", () => {
  const open = (signIn: SignIn["Service"]) =>
    Effect.flatMap(signIn.operatorLink(ADDRESS), (link) => signIn.byLink(made(link).secret, DEVICE))

  it.effect("is used up by its age, and by eight hours without a request, but not by looks", () =>
    signingIn((signIn, time) =>
      Effect.gen(function* () {
        const [used, looked] = [yield* open(signIn), yield* open(signIn)]
        time.now += 7 * HOUR
        yield* signIn.check(used.secret)
        time.now += HOUR - 1
        yield* signIn.look(looked.secret)
        time.now += 1
        assert.strictEqual(yield* reasonOf(signIn.look(looked.secret)), "idle")
        for (let use = 0; use < 22; use++) {
          yield* signIn.check(used.secret)
          time.now += 7 * HOUR
        }
        yield* signIn.check(used.secret)
        time.now = NOON + OPTIONS.lifetime - 1
        yield* signIn.check(used.secret)
        time.now += 1
        assert.strictEqual(yield* reasonOf(signIn.check(used.secret)), "expired")
        assert.strictEqual(yield* reasonOf(signIn.check("no secret")), "unknown")
      })
    )
  )

  it.effect("ends with all others of its person but the one that asks, and with the links on their way", () =>
    signingIn((signIn) =>
      Effect.gen(function* () {
        const [one, other] = [yield* open(signIn), yield* open(signIn)]
        const { secret } = made(yield* signIn.requestLink(ADDRESS, null))
        assert.strictEqual(yield* signIn.endAll(ADDRESS, one.session.id), 1)
        yield* signIn.check(one.secret)
        assert.strictEqual(yield* reasonOf(signIn.check(other.secret)), "ended")
        assert.strictEqual(yield* reasonOf(signIn.byLink(secret, DEVICE)), "link_spent")
      })
    )
  )
})

describe("an account at an identity provider", () => {
  const claims = (changes = {}) => ({
    account: { issuer: "https://id.example", subject: "42" },
    address: ADDRESS,
    isConfirmed: true,
    ...changes
  })

  it.effect("signs in who is a member by an address that the provider confirms", () =>
    signingIn((signIn) =>
      Effect.gen(function* () {
        for (const wrong of [{ isConfirmed: false }, { address: null }])
          assert.strictEqual(yield* reasonOf(signIn.identify(claims(wrong), true)), "address_not_confirmed")
        const stranger = claims({ address: "eve@acme.example" })
        assert.strictEqual(yield* reasonOf(signIn.identify(stranger, false)), "no_membership")
        const person = yield* signIn.identify(claims(), false)
        assert.strictEqual((yield* signIn.byAccount(person, DEVICE)).session.method, "oidc")
      })
    )
  )

  it.effect("belongs to one person, whose sessions end when its address becomes another's", () =>
    signingIn(
      (signIn) =>
        Effect.gen(function* () {
          const ada = yield* signIn.identify(claims(), false)
          const { secret } = yield* signIn.byAccount(ada, DEVICE)
          const second = claims({ account: { issuer: "https://id.example", subject: "43" } })
          assert.strictEqual(yield* reasonOf(signIn.identify(second, false)), "other_account")
          const grace = yield* signIn.identify(claims({ address: "grace@acme.example" }), false)
          assert.notStrictEqual(grace.id, ada.id)
          assert.strictEqual(yield* reasonOf(signIn.check(secret)), "ended")
        }),
      [member(), member({ id: "mem_2", email: "grace@acme.example" })]
    )
  )
})
