/**
 * Who asks: API keys, checked against their bcrypt hash once and then remembered by SHA-256 until they are revoked or expire.
 *
 * bcrypt is slow on purpose, so wrong keys are a way to keep a server busy. A wrong form, checksum or id costs nothing; the rest is
 * bounded: one comparison at a time, a few waiting, and few failures for each address and each key id. Beyond that a request is shed
 * with `503`; keys that are already known never wait.
 */
import {
  type ApiKey,
  ApiKeys,
  apiKeyPublicId,
  Micros,
  type Scope,
  Sha256,
  type StorageUnavailable
} from "@cairn/core"
import { compare } from "bcrypt"
import { Clock, Context, Effect, Layer, Option, Schedule, Semaphore } from "effect"
import { ApiError } from "./ApiError.ts"
import { asApiError } from "./DomainErrors.ts"

/** The key behind a request. */
export interface Identity {
  readonly keyId: string
  readonly keyName: string | null
  readonly workspaceId: string
  readonly scopes: ReadonlyArray<Scope>
}

/** Comparisons that may wait for the one that runs. */
const MAX_WAITING = 8
/** Comparisons an address or a key id may have failed at once, and how long until one is forgiven. */
const FAILURES = 5
const FORGIVEN_MILLIS = 2_000
/** Keys remembered at most. */
const MAX_KNOWN = 10_000
const REVOCATION_POLL = "1 second"
/** How far back a poll looks: a commit of another process may become visible late. */
const REVOCATION_OVERLAP = 30 * Micros.SECOND
const TOUCH_INTERVAL = "5 seconds"

const unauthenticated = (message: string): ApiError =>
  new ApiError({ code: "unauthenticated", message, headers: { "WWW-Authenticate": 'Bearer realm="cairn"' } })

const shed = new ApiError({
  code: "unavailable",
  message: "Too many keys are being checked; try again shortly",
  headers: { "Retry-After": "2" }
})

/** Failed attempts, forgiven one by one. */
class Failures {
  readonly #counts = new Map<string, { count: number; at: number }>()

  exhausted(key: string, now: number): boolean {
    const entry = this.#counts.get(key)
    if (entry === undefined) return false
    const forgiven = Math.floor((now - entry.at) / FORGIVEN_MILLIS)
    if (forgiven > 0) {
      entry.count = Math.max(0, entry.count - forgiven)
      entry.at += forgiven * FORGIVEN_MILLIS
    }
    if (entry.count === 0) this.#counts.delete(key)
    return entry.count >= FAILURES
  }

  add(key: string, now: number): void {
    const entry = this.#counts.get(key)
    if (entry === undefined) {
      if (this.#counts.size > MAX_KNOWN) this.#counts.clear()
      this.#counts.set(key, { count: 1, at: now })
    } else entry.count++
  }
}

interface Known {
  readonly identity: Identity
  readonly expiresAt: Micros.Micros | null
}

const PREFIX = "Bearer "

/** Authentication over the keys. */
export class Authenticator extends Context.Service<
  Authenticator,
  {
    /** The identity behind an `Authorization` header; `401` when there is none, `503` when too many are being checked. */
    readonly authenticate: (
      authorization: string | undefined,
      address: string
    ) => Effect.Effect<Identity, ApiError>
    /** Forgets a key at once, in this process. */
    readonly forget: (keyId: string) => void
  }
>()("@cairn/server/Authenticator") {
  static readonly layer = Layer.effect(
    Authenticator,
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const sha256 = yield* Sha256
      const semaphore = yield* Semaphore.make(1)
      const known = new Map<string, Known>()
      const used = new Map<string, Micros.Micros>()
      const failures = new Failures()
      let waiting = 0

      const forget = (keyId: string) => {
        for (const [digest, { identity }] of known) if (identity.keyId === keyId) known.delete(digest)
      }

      const remember = (digest: string, key: ApiKey): Known => {
        const entry = {
          identity: { keyId: key.id, keyName: key.name, workspaceId: key.workspace_id, scopes: key.scopes },
          expiresAt: key.expires_at
        }
        const oldest = known.keys().next()
        if (known.size >= MAX_KNOWN && !oldest.done) known.delete(oldest.value)
        known.set(digest, entry)
        return entry
      }

      const check = Effect.fnUntraced(function* (
        secret: string,
        publicId: string,
        digest: string,
        address: string
      ) {
        const found = yield* asApiError<Option.Option<ApiKey>, StorageUnavailable, never>(
          keys.findByPublicId(publicId)
        )
        if (Option.isNone(found)) return yield* unauthenticated("The API key is not valid")
        const key = found.value
        const now = yield* Clock.currentTimeMillis
        if (failures.exhausted(address, now) || failures.exhausted(publicId, now) || waiting >= MAX_WAITING) {
          return yield* shed
        }
        waiting++
        const matches = yield* semaphore
          .withPermits(1)(Effect.promise(() => compare(secret, key.hash)))
          .pipe(Effect.ensuring(Effect.sync(() => waiting--)))
        if (!matches) {
          failures.add(address, now)
          failures.add(publicId, now)
          return yield* unauthenticated("The API key is not valid")
        }
        if (key.revoked_at !== null) return yield* unauthenticated("The API key was revoked")
        return remember(digest, key)
      })

      const authenticate = Effect.fnUntraced(function* (authorization: string | undefined, address: string) {
        if (authorization === undefined || authorization === "") {
          return yield* unauthenticated("An API key is needed: Authorization: Bearer <API key>")
        }
        const secret = authorization.startsWith(PREFIX) ? authorization.slice(PREFIX.length).trim() : ""
        const publicId = apiKeyPublicId(secret)
        if (publicId === undefined) return yield* unauthenticated("The API key is not valid")
        const digest = sha256.hex(secret)
        const { identity, expiresAt } = known.get(digest) ?? (yield* check(secret, publicId, digest, address))
        const now = yield* Micros.now
        if (expiresAt !== null && expiresAt <= now) return yield* unauthenticated("The API key has expired")
        used.set(identity.keyId, now)
        return identity
      })

      const pollRevocations = Effect.gen(function* () {
        const revoked = yield* keys.revokedSince((yield* Micros.now) - REVOCATION_OVERLAP)
        for (const keyId of revoked) forget(keyId)
      })
      const flushUses = Effect.suspend(() => {
        const noted = new Map(used)
        used.clear()
        return keys.touch(noted)
      })
      const background = <A, E>(effect: Effect.Effect<A, E>, interval: "1 second" | "5 seconds") =>
        effect.pipe(Effect.ignore, Effect.repeat(Schedule.spaced(interval)), Effect.forkScoped)
      yield* background(pollRevocations, REVOCATION_POLL)
      yield* background(flushUses, TOUCH_INTERVAL)

      return Authenticator.of({ authenticate, forget })
    })
  )
}
