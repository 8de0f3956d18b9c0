import { Micros } from "@cairn/core/encoding"
import { Randomness, SecretBox, SecretUnreadable, Sha256 } from "@cairn/core/hashing"
import {
  type ManagedWorkspace,
  ManagedWorkspaces,
  TokenSigner,
  ViewerKeys,
  ViewerTokenRefused,
  ViewerTokens
} from "@cairn/core/workspace"
import { layerManualClock, type ManualClock, MemoryStorage, manualClock, testWorkspace } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { layerTokenSigner } from "../../src/secret/JoseTokens.ts"

const NOON = 1_714_564_800_000_000
const SECONDS = NOON / Micros.SECOND
const EVERYTHING = { tenantId: null, actorId: null, ttl: 3_600 }

/** A box that hides nothing, and opens only for the owner. */
const plainBox = Layer.succeed(
  SecretBox,
  SecretBox.of({
    seal: (secret, owner) => `${owner}:${secret}`,
    open: (sealed, owner) =>
      sealed.startsWith(`${owner}:`)
        ? Result.succeed(sealed.slice(owner.length + 1))
        : Result.fail(new SecretUnreadable({ keyId: null, reason: "not_authentic" })),
    isCurrent: () => true
  })
)

const workspace = (id: string): ManagedWorkspace => testWorkspace({ id, plan: "free", created_at: NOON })

const run = <A, E>(
  body: (
    hands: ManualClock
  ) => Effect.Effect<
    A,
    E,
    ViewerTokens | ViewerKeys | ManagedWorkspaces | SecretBox | TokenSigner | Sha256 | Randomness
  >,
  signer: Layer.Layer<TokenSigner> = layerTokenSigner
) => {
  const hands = manualClock(NOON)
  return Effect.gen(function* () {
    const { create } = yield* ManagedWorkspaces
    yield* create(workspace("wsp_1"))
    yield* create(workspace("wsp_2"))
    return yield* body(hands)
  }).pipe(
    Effect.provide(
      ViewerTokens.layer.pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            MemoryStorage.layer(),
            Sha256.layer,
            Randomness.layer,
            signer,
            plainBox,
            layerManualClock(hands)
          )
        )
      )
    )
  )
}

const refused = (reason: ViewerTokenRefused["reason"]) => new ViewerTokenRefused({ reason })
const refusal = (token: string) => Effect.flatMap(ViewerTokens, ({ check }) => Effect.flip(check(token)))

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())
const headerOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString())

describe("a viewer token", () => {
  it.effect("says whose it is, what it may see and until when, and is believed", () =>
    run(
      Effect.fnUntraced(function* () {
        const tokens = yield* ViewerTokens
        const issued = yield* tokens.issue("wsp_1", { tenantId: "t", actorId: "ädä", ttl: 60 })
        assert.strictEqual(issued.expiresAt, SECONDS + 60)
        const { jti, ...claims } = claimsOf(issued.token)
        assert.deepStrictEqual(claims, {
          iss: "cairn",
          aud: "cairn:viewer",
          sub: "wsp_1",
          tenant_id: "t",
          actor_id: "ädä",
          iat: SECONDS,
          exp: SECONDS + 60
        })
        const viewer = yield* tokens.check(issued.token)
        assert.deepEqual<unknown>(viewer, {
          workspaceId: "wsp_1",
          tenantId: "t",
          actorId: "ädä",
          tokenId: jti,
          expiresAt: SECONDS + 60,
          mayExport: false
        })
        const exporting = yield* tokens.issue("wsp_1", { ...EVERYTHING, mayExport: true })
        assert.strictEqual(claimsOf(exporting.token).export, true)
        assert.isTrue((yield* tokens.check(exporting.token)).mayExport)
        assert.deepInclude(yield* tokens.check((yield* tokens.issue("wsp_1", EVERYTHING)).token), {
          tenantId: null,
          actorId: null
        })
      })
    )
  )

  it.effect("ends to the second", () =>
    run(
      Effect.fnUntraced(function* (hands) {
        const tokens = yield* ViewerTokens
        const { token } = yield* tokens.issue("wsp_1", { ...EVERYTHING, ttl: 60 })
        hands.advance(60 * Micros.SECOND - 1)
        yield* tokens.check(token)
        hands.advance(1)
        assert.deepStrictEqual(yield* refusal(token), refused("expired"))
      })
    )
  )

  it.effect("of one workspace is nothing in another", () =>
    run(
      Effect.fnUntraced(function* () {
        const tokens = yield* ViewerTokens
        const box = yield* SecretBox
        const { token } = yield* tokens.issue("wsp_1", EVERYTHING)
        yield* tokens.issue("wsp_2", EVERYTHING)
        const [key] = yield* Effect.flatMap(ViewerKeys, ({ list }) => list("wsp_1"))
        const secret = Result.getOrThrow(box.open(key?.sealed ?? "", key?.id ?? ""))
        const bytes = new Uint8Array(Buffer.from(secret, "base64"))
        const claims = claimsOf(token)
        const { sign } = yield* TokenSigner
        const forge = (changed: object, keyId = key?.id ?? "") =>
          sign({ keyId, key: bytes, payload: JSON.stringify({ ...claims, ...changed }) })
        assert.strictEqual((yield* tokens.check(yield* forge({}))).workspaceId, "wsp_1")
        // Whoever has the key of one workspace, such as its owner, has it of that one alone.
        assert.deepStrictEqual(yield* refusal(yield* forge({ sub: "wsp_2" })), refused("unknown_key"))
        const [other] = yield* Effect.flatMap(ViewerKeys, ({ list }) => list("wsp_2"))
        assert.deepStrictEqual(
          yield* refusal(yield* forge({ sub: "wsp_2" }, other?.id)),
          refused("not_authentic")
        )
        assert.deepStrictEqual(yield* refusal(yield* forge({ sub: "wsp_none" })), refused("unknown_key"))
        for (const changed of [
          { aud: "cairn" },
          { iss: "other" },
          { tenant_id: 1 },
          { exp: "never" },
          { exp: null }
        ]) {
          assert.deepStrictEqual(yield* refusal(yield* forge(changed)), refused("malformed"))
        }
      })
    )
  )

  it.effect("that was tampered with, is unsigned, or is none is refused", () =>
    run(
      Effect.fnUntraced(function* () {
        const tokens = yield* ViewerTokens
        const { token } = yield* tokens.issue("wsp_1", { tenantId: "t", actorId: null, ttl: 60 })
        const [header = "", payload = "", signature = ""] = token.split(".")
        const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
        const wider = encode({ ...claimsOf(token), tenant_id: null })
        assert.deepStrictEqual(yield* refusal(`${header}.${wider}.${signature}`), refused("not_authentic"))
        const none = encode({ ...headerOf(token), alg: "none" })
        for (const bad of [
          `${none}.${payload}.`,
          `${none}.${payload}.${signature}`,
          `${header}.${payload}.`,
          `${header}.${payload}`,
          `${token}=`,
          ` ${token}`,
          `${token}\n`,
          "",
          "cairn_00000000",
          "a.b.c"
        ]) {
          assert.deepStrictEqual(yield* refusal(bad), refused("malformed"), bad)
        }
        const unknown = `${encode({ alg: "HS256", kid: "vky_none", typ: "JWT" })}.${payload}.${signature}`
        assert.deepStrictEqual(yield* refusal(unknown), refused("unknown_key"))
      })
    )
  )
})

describe("the signing keys", () => {
  it.effect("of a workspace are one, however many ask for its first token at once", () =>
    run(
      Effect.fnUntraced(function* () {
        const tokens = yield* ViewerTokens
        const issued = yield* Effect.forEach(
          Array.from({ length: 10 }),
          () => tokens.issue("wsp_1", EVERYTHING),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(issued.map(({ token }) => headerOf(token).kid)).size, 1)
        assert.lengthOf(yield* Effect.flatMap(ViewerKeys, ({ all }) => all), 1)
      })
    )
  )

  it.effect("are sealed where they are stored", () =>
    run(
      Effect.fnUntraced(function* () {
        const tokens = yield* ViewerTokens
        yield* tokens.issue("wsp_1", EVERYTHING)
        const [key] = yield* Effect.flatMap(ViewerKeys, ({ all }) => all)
        assert.match(key?.sealed ?? "", new RegExp(`^${key?.id}:[A-Za-z0-9+/]{43}=$`))
      })
    )
  )

  it.effect("rotate: new tokens have the new key, old ones live out their time and no longer", () =>
    run(
      Effect.fnUntraced(function* (hands) {
        const tokens = yield* ViewerTokens
        const old = yield* tokens.issue("wsp_1", { ...EVERYTHING, ttl: 86_400 })
        const id = yield* tokens.rotate("wsp_1", { revoke: false })
        const anew = yield* tokens.issue("wsp_1", EVERYTHING)
        assert.strictEqual(headerOf(anew.token).kid, id)
        assert.notStrictEqual(headerOf(old.token).kid, id)
        hands.advance(Micros.DAY - 1)
        yield* tokens.check(old.token)
        hands.advance(1)
        assert.deepStrictEqual(yield* refusal(old.token), refused("unknown_key"))
        yield* tokens.rotate("wsp_1", { revoke: false })
        const keys = yield* Effect.flatMap(ViewerKeys, ({ list }) => list("wsp_1"))
        assert.lengthOf(keys, 2, "what signs nothing that lives is removed")
      })
    )
  )

  it.effect("that have leaked are revoked: their tokens are refused at once, those of others are not", () =>
    run(
      Effect.fnUntraced(function* () {
        const tokens = yield* ViewerTokens
        const leaked = yield* tokens.issue("wsp_1", EVERYTHING)
        const other = yield* tokens.issue("wsp_2", EVERYTHING)
        yield* tokens.check(leaked.token)
        yield* tokens.rotate("wsp_1", { revoke: true })
        assert.deepStrictEqual(yield* refusal(leaked.token), refused("unknown_key"))
        yield* tokens.check(other.token)
        yield* tokens.check((yield* tokens.issue("wsp_1", EVERYTHING)).token)
      })
    )
  )

  it.effect("revoked by another process are believed for a second at most", () =>
    run(
      Effect.fnUntraced(function* (hands) {
        const tokens = yield* ViewerTokens
        const { token } = yield* tokens.issue("wsp_1", EVERYTHING)
        yield* tokens.check(token)
        const keys = yield* ViewerKeys
        const [key] = yield* keys.list("wsp_1")
        yield* keys.modify("wsp_1", key?.id ?? "", (before) =>
          Result.succeed({ ...before, retired_at: NOON })
        )
        hands.advance(Micros.SECOND)
        assert.deepStrictEqual(yield* refusal(token), refused("unknown_key"))
      })
    )
  )
})

describe("a signature", () => {
  /** The real signer, and how often it was asked. */
  const counted = () => {
    const asked = { count: 0 }
    const signer = Layer.effect(
      TokenSigner,
      Effect.map(TokenSigner, ({ sign, isAuthentic }) =>
        TokenSigner.of({
          sign,
          isAuthentic: (token, key) => {
            asked.count++
            return isAuthentic(token, key)
          }
        })
      )
    ).pipe(Layer.provide(layerTokenSigner))
    return { asked, signer }
  }

  /** A token of another process: the one that issues a token knows it. */
  const issueElsewhere = (asked: Parameters<ViewerTokens["Service"]["issue"]>[1]) =>
    Effect.flatMap(ViewerTokens, ({ issue }) => issue("wsp_1", asked)).pipe(
      Effect.provide(ViewerTokens.layer, { local: true })
    )

  it.effect("is checked with a token's first request, and all else with every one", () => {
    const { asked, signer } = counted()
    return run(
      Effect.fnUntraced(function* (hands) {
        const tokens = yield* ViewerTokens
        const { token } = yield* issueElsewhere({ ...EVERYTHING, ttl: 60 })
        for (let index = 0; index < 5; index++) yield* tokens.check(token)
        assert.strictEqual(asked.count, 1)
        const own = yield* tokens.issue("wsp_1", EVERYTHING)
        yield* tokens.check(own.token)
        assert.strictEqual(asked.count, 1)
        hands.advance(60 * Micros.SECOND)
        assert.deepStrictEqual(yield* refusal(token), refused("expired"))
        yield* tokens.rotate("wsp_1", { revoke: true })
        assert.deepStrictEqual(yield* refusal(token), refused("unknown_key"))
        assert.strictEqual(asked.count, 1)
      }),
      signer
    )
  })

  it.effect("that is wrong is remembered by nobody, however often it comes", () => {
    const { asked, signer } = counted()
    return run(
      Effect.fnUntraced(function* () {
        const tokens = yield* ViewerTokens
        const one = yield* issueElsewhere(EVERYTHING)
        const other = yield* issueElsewhere(EVERYTHING)
        yield* tokens.check(one.token)
        const mixed = [...one.token.split(".").slice(0, 2), other.token.split(".")[2]].join(".")
        for (let index = 0; index < 5; index++)
          assert.deepStrictEqual(yield* refusal(mixed), refused("not_authentic"))
        assert.strictEqual(asked.count, 6)
      }),
      signer
    )
  })

  it.effect("in another spelling does not reach the library, which would take it", () => {
    const { asked, signer } = counted()
    return run(
      Effect.fnUntraced(function* () {
        const tokens = yield* ViewerTokens
        const { token } = yield* tokens.issue("wsp_1", EVERYTHING)
        for (const other of [`${token}=`, token.replaceAll("_", "/").replaceAll("-", "+").concat("=")]) {
          assert.deepStrictEqual(yield* refusal(other), refused("malformed"))
        }
        assert.strictEqual(asked.count, 0)
      }),
      signer
    )
  })
})
