/** Creating and revoking API keys. */

import { Context, Effect, Layer, Option } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { MAX_NAME } from "../event/EventInput.ts"
import { InvalidInput } from "../event/InvalidInput.ts"
import { nameFault } from "../event/TextFault.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import {
  type ApiKey,
  ApiKeyNotFound,
  ApiKeys,
  DEFAULT_SCOPES,
  generateApiKey,
  type Scope,
  withinLiveKeys
} from "../workspace/ApiKey.ts"
import { ApiKeyHasher } from "../workspace/ApiKeyHasher.ts"
import { Members } from "../workspace/Members.ts"
import { endWithin, readExpiry } from "./Expiry.ts"
import { ManagementEvents, type Manager, NotAllowed, onceKey } from "./ManagementEvent.ts"
import { createRecorded, inTurn, makeTurns } from "./RecordedCreation.ts"

/** A new key. */
export interface NewApiKey {
  readonly workspaceId: string
  readonly name: string | null
  /** By default all but `admin`. */
  readonly scopes: ReadonlyArray<Scope> | undefined
  /** ISO 8601, in the future; null for never. */
  readonly expiresAt: string | null
}

const checkName = (name: string | null) => {
  const reason = name === null ? undefined : nameFault(name, { least: 0, most: MAX_NAME })
  return reason === undefined ? Effect.void : Effect.fail(new InvalidInput({ path: "name", reason }))
}

/** The scopes of a new key: none that its maker may not give. */
const checkScopes = ({ mayGive, type }: Manager, scopes: ReadonlyArray<Scope> | undefined) => {
  if (scopes?.length === 0)
    return Effect.fail(new InvalidInput({ path: "scopes", reason: "must name at least one scope" }))
  const asked = [...new Set(scopes ?? DEFAULT_SCOPES)]
  const refused = mayGive === undefined ? [] : asked.filter((scope) => !mayGive.includes(scope))
  if (refused.length === 0) return Effect.succeed(asked)
  const yours = type === "member" ? "your role" : "your key"
  const given = mayGive?.join(", ")
  return Effect.fail(
    new NotAllowed({
      reason: `scopes: a key with ${refused.join(", ")} may do what ${yours} may not; yours may give ${given}`
    })
  )
}

const make = Effect.gen(function* () {
  const keys = yield* ApiKeys
  const members = yield* Members
  const events = yield* ManagementEvents
  const random = yield* Randomness
  const hasher = yield* ApiKeyHasher
  const services = { events, turns: makeTurns() }
  let lastCreatedAt = 0

  /** When the access of a member ends as it is now: the end may have been brought forward meanwhile. */
  const endOfMaker = (workspaceId: string, { id, type }: Manager) =>
    type === "member"
      ? Effect.map(
          members.get(workspaceId, id),
          Option.match({ onNone: () => null, onSome: ({ expires_at }) => expires_at })
        )
      : Effect.succeed(null)

  const create = Effect.fn("ApiKeyManagement.create")(function* (by: Manager, input: NewApiKey) {
    const now = yield* Micros.now
    const { workspaceId, name } = input
    yield* checkName(name)
    const scopes = yield* checkScopes(by, input.scopes)
    const expiresAt = yield* readExpiry(input.expiresAt, now).pipe(
      Effect.flatMap((end) => endWithin(by, end))
    )
    const admit = withinLiveKeys(now)
    yield* Effect.fromResult(admit(yield* keys.list(workspaceId)))
    const { key, publicId } = generateApiKey(random)
    const digest = yield* hasher.hash(key)
    // A page of a list ends at a time, so no two keys may have the same.
    lastCreatedAt = Math.max(now, lastCreatedAt + 1)
    const stored: ApiKey = {
      id: `key_${uuid(random)}`,
      public_id: publicId,
      workspace_id: workspaceId,
      name,
      scopes,
      hash: digest,
      created_by: by.id,
      created_at: lastCreatedAt,
      last_used_at: null,
      expires_at: expiresAt,
      revoked_at: null
    }
    // Recorded first: a key that is not in the log would be worse than a recorded key that was never stored.
    const change = {
      workspaceId,
      action: "cairn.api_key.created",
      resource: { type: "api_key", id: stored.id, name },
      metadata: { scopes, expires_at: expiresAt === null ? null : Micros.format(expiresAt) }
    }
    yield* createRecorded(services, by, change, { things: keys, item: stored, admit })
    const end = yield* endOfMaker(workspaceId, by)
    if (end === null || (expiresAt !== null && expiresAt <= end)) return { stored, key }
    yield* keys.shorten(workspaceId, [stored.id], end, yield* Micros.now)
    return { stored: { ...stored, expires_at: end }, key }
  })

  const revoke = Effect.fn("ApiKeyManagement.revoke")(function* (
    by: Manager,
    workspaceId: string,
    id: string
  ) {
    const key = yield* keys.get(workspaceId, id)
    if (Option.isNone(key)) return yield* new ApiKeyNotFound({ keyId: id })
    if (key.value.revoked_at !== null) return key.value
    yield* events.record(by, {
      workspaceId,
      action: "cairn.api_key.revoked",
      resource: { type: "api_key", id, name: key.value.name },
      metadata: {},
      idempotencyKey: onceKey("cairn.api_key.revoked", id, by)
    })
    return yield* keys.revoke(workspaceId, id, yield* Micros.now)
  }, inTurn(services))

  return { create, revoke }
})

/** The use cases. Each checks its input, records the change in the workspace's log, and makes it. */
export class ApiKeyManagement extends Context.Service<ApiKeyManagement, Effect.Success<typeof make>>()(
  "@cairn/core/ApiKeyManagement"
) {
  static readonly layer = Layer.effect(ApiKeyManagement, make)
}
