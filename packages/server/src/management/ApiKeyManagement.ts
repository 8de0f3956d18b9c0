/** Making and revoking API keys. */
import {
  type ApiKey,
  ApiKeys,
  DEFAULT_SCOPES,
  generateApiKey,
  InvalidInput,
  MAX_NAME,
  Micros,
  Randomness,
  type Scope,
  uuid
} from "@cairn/core"
import { hash } from "bcrypt"
import { Context, Effect, Layer } from "effect"
import { ManagementEvents, type Manager } from "./ManagementEvent.ts"

/** The secret is random, so the cost only has to slow down whoever steals the database. */
const BCRYPT_COST = 10

/** What a new key should be. */
export interface NewApiKey {
  readonly workspaceId: string
  readonly name: string | null
  readonly scopes: ReadonlyArray<Scope> | undefined
  /** ISO 8601, in the future. */
  readonly expiresAt: string | null
}

const expiry = (text: string | null, now: Micros.Micros) => {
  if (text === null) return Effect.succeed(null)
  const micros = Micros.parse(text)
  return micros === undefined || micros <= now
    ? Effect.fail(
        new InvalidInput({ path: "expires_at", reason: "must be an ISO 8601 date-time in the future" })
      )
    : Effect.succeed(micros)
}

const make = Effect.gen(function* () {
  const keys = yield* ApiKeys
  const events = yield* ManagementEvents
  const random = yield* Randomness

  const create = Effect.fn("ApiKeyManagement.create")(function* (by: Manager, input: NewApiKey) {
    const now = yield* Micros.now
    const { workspaceId, name } = input
    if (name !== null && (name.length > MAX_NAME || !name.isWellFormed())) {
      return yield* new InvalidInput({ path: "name", reason: `must have at most ${MAX_NAME} characters` })
    }
    if (input.scopes?.length === 0) {
      return yield* new InvalidInput({ path: "scopes", reason: "must name at least one scope" })
    }
    const { key, publicId } = generateApiKey(random)
    const stored: ApiKey = {
      id: `key_${uuid(random)}`,
      public_id: publicId,
      workspace_id: workspaceId,
      name,
      scopes: [...new Set(input.scopes ?? DEFAULT_SCOPES)],
      hash: yield* Effect.promise(() => hash(key, BCRYPT_COST)),
      created_at: now,
      last_used_at: null,
      expires_at: yield* expiry(input.expiresAt, now),
      revoked_at: null
    }
    yield* keys.create(stored)
    yield* events.record(by, {
      workspaceId,
      action: "cairn.api_key.created",
      resource: { type: "api_key", id: stored.id, name },
      metadata: {
        scopes: stored.scopes,
        expires_at: stored.expires_at === null ? null : Micros.format(stored.expires_at)
      }
    })
    return { stored, key }
  })

  const revoke = Effect.fn("ApiKeyManagement.revoke")(function* (
    by: Manager,
    workspaceId: string,
    id: string
  ) {
    const now = yield* Micros.now
    const key = yield* keys.revoke(workspaceId, id, now)
    if (key.revoked_at === now) {
      yield* events.record(by, {
        workspaceId,
        action: "cairn.api_key.revoked",
        resource: { type: "api_key", id, name: key.name },
        metadata: {}
      })
    }
    return key
  })

  return { create, revoke }
})

/** The use cases; each checks its input, makes the change, and records it in the log. */
export class ApiKeyManagement extends Context.Service<ApiKeyManagement, Effect.Success<typeof make>>()(
  "@cairn/server/ApiKeyManagement"
) {
  static readonly layer = Layer.effect(ApiKeyManagement, make)
}
