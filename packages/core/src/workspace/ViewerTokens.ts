/**
 * Viewer tokens: short-lived and read-only, for a browser that may see the events of one tenant or actor
 * only.
 *
 * A token is a JWT (RFC 7519) signed with a key of its workspace. The workspace that it names determines the
 * key that it is checked with, so a token of one workspace is useless in another.
 */
import { Clock, Context, Effect, Layer, Option, Result, Schema } from "effect"
import { BoundedMap } from "../encoding/BoundedMap.ts"
import * as Micros from "../encoding/Micros.ts"
import { decodeBase64, encodeBase64 } from "../encoding/StrictBase64.ts"
import type { ViewerScope } from "../event/ViewerScope.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import { SecretBox, type SecretUnreadable } from "../hashing/SecretBox.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { type ParsedToken, parseToken, payloadText } from "./JsonWebSignature.ts"
import { TokenSigner } from "./TokenSigner.ts"
import { isTrusted, signingKey, type ViewerKey, ViewerKeys, withinTrustedKeys } from "./ViewerKeys.ts"
import type { CollectionFull } from "./WorkspaceCollection.ts"

/** Lifetimes of a token in seconds. */
export const VIEWER_TTL = { default: 3_600, minimum: 60, maximum: 86_400 } as const

/** How long the last tokens of a key may live after it stops signing. */
const LONGEST_LIFE: Micros.Micros = VIEWER_TTL.maximum * Micros.SECOND
/** How long a process caches a key. */
const REMEMBERED: Micros.Micros = Micros.SECOND
/** Most keys, and most tokens, that a process caches. */
const MOST_REMEMBERED = 10_000
/** What an id of a workspace or a key may be; no other text is looked up, since a store may not take it. */
const ID = /^[\x21-\x7e]{1,128}$/
/** HMAC-SHA256 gains nothing from a longer key (RFC 2104 section 3). */
const KEY_BYTES = 32

/** The claims of a token. Times are Unix seconds. */
const ViewerClaims = Schema.Struct({
  iss: Schema.Literal("cairn"),
  aud: Schema.Literal("cairn:viewer"),
  /** The workspace. */
  sub: Schema.String,
  tenant_id: Schema.NullOr(Schema.String),
  actor_id: Schema.NullOr(Schema.String),
  /** Whether it exports; only where it does. */
  export: Schema.optionalKey(Schema.Boolean),
  iat: Schema.Int,
  exp: Schema.Int,
  jti: Schema.String
})
type ViewerClaims = typeof ViewerClaims.Type

const decodeClaims = Schema.decodeUnknownOption(Schema.fromJsonString(ViewerClaims))

/** A token is not valid, or no longer. */
export class ViewerTokenRefused extends Schema.TaggedError<ViewerTokenRefused>()("ViewerTokenRefused", {
  /** `expired` only if the signature is valid. */
  reason: Schema.Literals(["malformed", "unknown_key", "not_authentic", "expired"])
}) {}

/** A token and when it expires. */
export interface IssuedToken {
  readonly token: string
  /** Its `jti`. */
  readonly tokenId: string
  /** Unix seconds. */
  readonly expiresAt: number
}

/** What a token is to allow, for `ttl` seconds. */
export interface AskedToken extends ViewerScope {
  readonly ttl: number
  /** Whether its bearer may export what it sees; unless set, it may not. */
  readonly mayExport?: boolean
}

/** The bearer of a token. */
export interface Viewer extends ViewerScope {
  readonly workspaceId: string
  readonly mayExport: boolean
  /** The token's own id, for logs. */
  readonly tokenId: string
  /** Unix seconds. */
  readonly expiresAt: number
}

/** The use cases of viewer tokens. */
interface ViewerTokensShape {
  /**
   * Issues a token for `ttl` seconds, which must be within {@link VIEWER_TTL}. The first token of a workspace
   * creates its key.
   */
  readonly issue: (
    workspaceId: string,
    asked: AskedToken
  ) => Effect.Effect<IssuedToken, StorageUnavailable | SecretUnreadable>
  /**
   * Checks a token and returns its scope. A key that was retired within the last second may still count.
   * Costs a hash, a look-up once a second, and for a token's first request its signature, which takes as long
   * as all else together.
   */
  readonly check: (
    token: string
  ) => Effect.Effect<Viewer, ViewerTokenRefused | StorageUnavailable | SecretUnreadable>
  /**
   * Makes a new key for a workspace. Tokens of the older keys are valid until they expire or, if a key has
   * leaked (`revoke`), no longer. Returns the new key's id. Only a rotation that revokes the older keys has
   * no limit.
   */
  readonly rotate: (
    workspaceId: string,
    options: { readonly revoke: boolean }
  ) => Effect.Effect<string, CollectionFull | StorageUnavailable>
}

/** A decrypted key. */
interface Remembered {
  readonly key: ViewerKey
  readonly bytes: Uint8Array
  readonly until: number
}

/** What viewer tokens need. */
interface ViewerTokensContext {
  readonly keys: ViewerKeys["Service"]
  readonly box: SecretBox["Service"]
  readonly signer: TokenSigner["Service"]
  readonly sha256: Sha256["Service"]
  readonly random: Randomness["Service"]
  readonly remembered: BoundedMap<string, Remembered>
  /** SHA-256 of tokens whose signature was right; a token names its key, so the hash stands for both. */
  readonly authentic: BoundedMap<string, true>
}

const open = Effect.fnUntraced(function* ({ box }: ViewerTokensContext, { sealed, id }: ViewerKey) {
  const bytes = decodeBase64(yield* Effect.fromResult(box.open(sealed, id)))
  // Anybody could sign with an empty key.
  return bytes?.length === KEY_BYTES ? bytes : yield* Effect.die(new Error(`${id} is sealed, and no key`))
})

const makeKey = (
  { random, box }: ViewerTokensContext,
  workspaceId: string,
  now: Micros.Micros
): ViewerKey => {
  const id = `vky_${uuid(random)}`
  const sealed = box.seal(encodeBase64(random.bytes(KEY_BYTES)), id)
  return { id, workspace_id: workspaceId, sealed, retired_at: null, created_at: now, updated_at: now }
}

/**
 * The key that signs. If two processes create a workspace's first key at the same time, both use the one that
 * was stored.
 */
const current = Effect.fnUntraced(function* (context: ViewerTokensContext, workspaceId: string) {
  const { keys } = context
  const known = signingKey(yield* keys.list(workspaceId))
  if (known !== undefined) return known
  const made = makeKey(context, workspaceId, yield* Micros.now)
  const stored = yield* Effect.result(
    keys.create(made, (existing) => {
      const other = signingKey(existing)
      return other === undefined ? Result.void : Result.fail({ other })
    })
  )
  if (Result.isSuccess(stored)) return made
  return "other" in stored.failure ? stored.failure.other : yield* stored.failure
})

const issue = Effect.fn("ViewerTokens.issue")(function* (
  context: ViewerTokensContext,
  workspaceId: string,
  { tenantId, actorId, ttl, mayExport }: AskedToken
) {
  const { random, signer, sha256, authentic } = context
  const key = yield* current(context, workspaceId)
  const iat = Math.floor((yield* Micros.now) / Micros.SECOND)
  const claims: ViewerClaims = {
    iss: "cairn",
    aud: "cairn:viewer",
    sub: workspaceId,
    tenant_id: tenantId,
    actor_id: actorId,
    ...(mayExport === true ? { export: true } : {}),
    iat,
    exp: iat + ttl,
    jti: uuid(random)
  }
  const token = yield* signer.sign({
    keyId: key.id,
    key: yield* open(context, key),
    payload: JSON.stringify(claims)
  })
  // Its bearer mostly comes to the process that has issued it.
  authentic.set(sha256.hex(token), true)
  return { token, tokenId: claims.jti, expiresAt: claims.exp }
})

const find = Effect.fnUntraced(function* (context: ViewerTokensContext, workspaceId: string, keyId: string) {
  const { remembered, keys } = context
  const name = `${workspaceId} ${keyId}`
  const time = Number((yield* Clock.Clock).monotonicTimeNanosUnsafe() / 1_000n)
  const known = remembered.get(name)
  if (known !== undefined && time < known.until) return known
  const key = Option.getOrUndefined(yield* keys.get(workspaceId, keyId))
  // Unknown ids are not cached: anybody can make up ids.
  if (key === undefined) return undefined
  const found: Remembered = { key, bytes: yield* open(context, key), until: time + REMEMBERED }
  remembered.set(name, found)
  return found
})

/**
 * Whether a token was signed with a key. A viewer sends one token with hundreds of requests, so what was
 * right is remembered; what may change, such as whether the key is trusted, is not.
 */
const isAuthentic = Effect.fnUntraced(function* (
  { signer, sha256, authentic }: ViewerTokensContext,
  token: ParsedToken,
  key: Uint8Array
) {
  const hash = sha256.hex(token.text)
  if (authentic.get(hash) === true) return true
  const isRight = yield* signer.isAuthentic(token, key)
  if (isRight) authentic.set(hash, true)
  return isRight
})

const check = Effect.fnUntraced(function* (context: ViewerTokensContext, token: string) {
  const refuse = (reason: ViewerTokenRefused["reason"]) => new ViewerTokenRefused({ reason })
  const parsed = parseToken(token)
  const claims = parsed === undefined ? Option.none() : decodeClaims(payloadText(parsed))
  if (parsed === undefined || Option.isNone(claims)) return yield* refuse("malformed")
  const { sub: workspaceId, tenant_id, actor_id, exp, jti, export: mayExport = false } = claims.value
  if (!ID.test(workspaceId) || !ID.test(parsed.keyId)) return yield* refuse("unknown_key")
  const found = yield* find(context, workspaceId, parsed.keyId)
  const now = yield* Micros.now
  if (found === undefined || !isTrusted(found.key, now)) return yield* refuse("unknown_key")
  if (!(yield* isAuthentic(context, parsed, found.bytes))) return yield* refuse("not_authentic")
  if (now >= exp * Micros.SECOND) return yield* refuse("expired")
  return { workspaceId, tenantId: tenant_id, actorId: actor_id, mayExport, tokenId: jti, expiresAt: exp }
})

const rotate = Effect.fn("ViewerTokens.rotate")(function* (
  context: ViewerTokensContext,
  workspaceId: string,
  { revoke }: { readonly revoke: boolean }
) {
  const { keys, remembered } = context
  const now = yield* Micros.now
  const made = makeKey(context, workspaceId, now)
  const older = yield* keys.list(workspaceId)
  yield* revoke ? keys.create(made) : keys.create(made, withinTrustedKeys(now))
  const end = revoke ? now : now + LONGEST_LIFE
  for (const { id } of older) {
    yield* keys.modify(workspaceId, id, (key) =>
      Result.succeed({
        ...key,
        retired_at: Math.min(key.retired_at ?? Number.MAX_SAFE_INTEGER, end),
        updated_at: now
      })
    )
  }
  for (const { id, retired_at } of older) {
    // Every token that it signed has expired.
    if (retired_at !== null && retired_at <= now) yield* keys.remove(workspaceId, id)
  }
  remembered.forget((name) => name.startsWith(`${workspaceId} `))
  return made.id
})

/** Viewer tokens, from the keys of the workspaces. */
export class ViewerTokens extends Context.Service<ViewerTokens, ViewerTokensShape>()(
  "@cairn/core/ViewerTokens"
) {
  static readonly layer = Layer.effect(
    ViewerTokens,
    Effect.gen(function* () {
      const context: ViewerTokensContext = {
        keys: yield* ViewerKeys,
        box: yield* SecretBox,
        signer: yield* TokenSigner,
        sha256: yield* Sha256,
        random: yield* Randomness,
        remembered: new BoundedMap(MOST_REMEMBERED),
        authentic: new BoundedMap(MOST_REMEMBERED)
      }
      return ViewerTokens.of({
        issue: (workspaceId, request) => issue(context, workspaceId, request),
        check: (token) => check(context, token),
        rotate: (workspaceId, request) => rotate(context, workspaceId, request)
      })
    })
  )
}
