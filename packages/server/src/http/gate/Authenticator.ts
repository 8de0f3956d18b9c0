/**
 * Authentication by API keys, which are checked against their bcrypt hash once and then remembered by SHA-256
 * until they are revoked, expire or are given an earlier end.
 *
 * A key of the wrong form, checksum or id is rejected at the cost of a look-up at most. A known key never
 * waits, whatever others are trying; see {@link makeSecretCheck} for those that are not.
 */

import { BoundedMap, Micros } from "@cairn/core/encoding"
import { Sha256 } from "@cairn/core/hashing"
import type { StorageUnavailable } from "@cairn/core/log"
import { type ApiKey, ApiKeyHasher, ApiKeys, apiKeyPublicId } from "@cairn/core/workspace"
import { Clock, Context, Effect, Layer, Option, Schedule } from "effect"
import { isUnmarked } from "../../secret/MarkedSalt.ts"
import { ApiError } from "../plumbing/ApiError.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { singleFlight } from "../plumbing/SingleFlight.ts"
import { readBearer } from "./Challenge.ts"
import { type ClientAddress, subnetOf } from "./ClientAddress.ts"
import { type Identity, keyIdentity } from "./Identity.ts"
import { makeSecretCheck } from "./SecretCheck.ts"

/** Keys remembered at most; beyond that the one that was checked longest ago is checked again. */
const MAX_KNOWN = 50_000
/**
 * How far back a poll for revocations, and for ends that were brought forward, looks: another process's clock
 * may differ, and its commit become visible late.
 */
const REVOCATION_OVERLAP = 60 * Micros.SECOND

const refuse = (message: string): ApiError => new ApiError({ code: "unauthenticated", message })

interface Known {
  readonly identity: Identity
  readonly expiresAt: Micros.Micros | null
}

/** The keys that were checked, by the SHA-256 of each. */
class KnownKeys {
  readonly #byDigest = new BoundedMap<string, Known>(MAX_KNOWN)
  /** A key has one secret, hence one digest: both maps have the same entries in the same order. */
  readonly #digests = new BoundedMap<string, string>(MAX_KNOWN)

  find(digest: string): Known | undefined {
    return this.#byDigest.get(digest)
  }

  add(digest: string, key: ApiKey): Known {
    const known = { identity: keyIdentity(key), expiresAt: key.expires_at }
    this.#byDigest.set(digest, known)
    this.#digests.set(key.id, digest)
    return known
  }

  forget(keyId: string): void {
    const digest = this.#digests.get(keyId)
    if (digest === undefined) return
    this.#digests.delete(keyId)
    this.#byDigest.delete(digest)
  }
}

/** What finds the key behind a secret: one that is not revoked, has not ended and has this secret. */
const makeKeyCheck = Effect.gen(function* () {
  const keys = yield* ApiKeys
  const hasher = yield* ApiKeyHasher
  const checkSecret = yield* makeSecretCheck
  const scope = yield* Effect.scope
  const lookUp = singleFlight<Option.Option<ApiKey>, StorageUnavailable>(scope)

  /** Gives a key that an earlier version stored a hash whose salt tells wrong secrets. */
  const renewHash = Effect.fnUntraced(function* (secret: string, { id, hash }: ApiKey) {
    if (!isUnmarked(hash)) return
    yield* Effect.ignore(keys.rehash(id, hash, yield* hasher.hash(secret)))
  })

  return Effect.fnUntraced(function* (secret: string, publicId: string, address: ClientAddress) {
    // Once for all who try the id at the moment, so that wrong keys cannot queue before the store.
    const found = yield* asApiError(lookUp(publicId, keys.findByPublicId(publicId)))
    const key = Option.getOrUndefined(found)
    const now = yield* Micros.now
    const usable = key?.revoked_at === null && (key.expires_at === null || key.expires_at > now)
    // A key that is rejected anyway costs no bcrypt. Ids are not secret, and the response reveals nothing
    // more.
    if (key === undefined || !usable) return yield* refuse("The API key is not valid")
    const matches = yield* checkSecret({
      secret,
      hash: key.hash,
      keyId: key.id,
      subnet: subnetOf(address)
    })
    if (!matches) return yield* refuse("The API key is not valid")
    yield* Effect.forkIn(renewHash(secret, key), scope)
    return key
  })
})

/** Authentication over the keys. */
export class Authenticator extends Context.Service<
  Authenticator,
  {
    /**
     * The identity behind an `Authorization` header; `401` when there is none, `503` when too many are being
     * checked.
     */
    readonly authenticate: (
      authorization: string | undefined,
      address: ClientAddress
    ) => Effect.Effect<Identity, ApiError>
    /** The identity if the key is remembered and valid, so that nothing needs to be read or compared. */
    readonly recall: (authorization: string) => Identity | undefined
    /** Forgets a key at once, in this process; the others notice within a second or two. */
    readonly forget: (keyId: string) => void
  }
>()("@cairn/server/Authenticator") {
  static readonly layer = Layer.effect(
    Authenticator,
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const sha256 = yield* Sha256
      const check = yield* makeKeyCheck
      const once = singleFlight<Known, ApiError>(yield* Effect.scope)
      const known = new KnownKeys()
      /** When keys were last used, by their ids. */
      const used = new Map<string, Micros.Micros>()

      /** The identity of a key that is used, which is noted, unless it has expired. */
      const use = ({ identity, expiresAt }: Known, nowMillis: number): Identity | undefined => {
        const now = Micros.fromMillis(nowMillis)
        if (expiresAt !== null && expiresAt <= now) return undefined
        used.set(identity.id, now)
        return identity
      }

      const admit = (entry: Known, nowMillis: number) => {
        const identity = use(entry, nowMillis)
        if (identity !== undefined) return Effect.succeed(identity)
        known.forget(entry.identity.id)
        return Effect.fail(refuse("The API key has expired"))
      }

      const clock = yield* Clock.Clock
      const recall = (authorization: string) => {
        const entry = known.find(sha256.hex(readBearer(authorization) ?? ""))
        return entry && use(entry, clock.currentTimeMillisUnsafe())
      }

      const authenticate = (authorization: string | undefined, address: ClientAddress) =>
        Clock.clockWith((clock): Effect.Effect<Identity, ApiError> => {
          const secret = authorization === undefined ? undefined : readBearer(authorization)
          if (secret === undefined)
            return Effect.fail(refuse("An API key is needed: Authorization: Bearer <API key>"))
          const digest = sha256.hex(secret)
          const entry = known.find(digest)
          if (entry !== undefined) return admit(entry, clock.currentTimeMillisUnsafe())
          const publicId = apiKeyPublicId(secret)
          if (publicId === undefined) return Effect.fail(refuse("The API key is not valid"))
          const checking = Effect.map(check(secret, publicId, address), (key) => known.add(digest, key))
          return Effect.flatMap(once(digest, checking), (checked) =>
            admit(checked, clock.currentTimeMillisUnsafe())
          )
        })

      let since = (yield* Micros.now) - REVOCATION_OVERLAP
      const pollRestrictions = Effect.gen(function* () {
        const polledAt = yield* Micros.now
        for (const keyId of yield* keys.restrictedSince(since)) known.forget(keyId)
        // Only a poll that succeeded moves on: what was revoked while the store was not available is still to
        // be read.
        since = polledAt - REVOCATION_OVERLAP
      })
      const noteUses = Effect.suspend(() => {
        if (used.size === 0) return Effect.void
        const noted = new Map(used)
        used.clear()
        return keys.touch(noted)
      })
      yield* Effect.addFinalizer(() => Effect.ignore(noteUses))
      yield* Effect.forkScoped(Effect.repeat(Effect.ignore(pollRestrictions), Schedule.spaced("1 second")))
      yield* Effect.forkScoped(Effect.repeat(Effect.ignore(noteUses), Schedule.spaced("5 seconds")))

      return Authenticator.of({ authenticate, recall, forget: (keyId) => known.forget(keyId) })
    })
  )
}
