/** Everything that is sealed at rest, of every kind, and what the available keys cannot open. */
import { Effect, Result } from "effect"
import { Checkpoints, checkpointKeyOwner } from "../checkpoint/Checkpoints.ts"
import { SecretBox } from "../hashing/SecretBox.ts"
import { LogStreams } from "../outbound/LogStreams.ts"
import { Webhooks } from "../outbound/Webhooks.ts"
import { ViewerKeys } from "../workspace/ViewerKeys.ts"

/** What a sealed secret is for. */
export type SealedKind = "webhook secret" | "log stream secret" | "viewer key" | "checkpoint key"

/** One sealed secret. */
interface SealedSecret {
  readonly kind: SealedKind
  /** The id of its owner, for which it was sealed. */
  readonly owner: string
  readonly sealed: string
}

/** Every sealed secret of all workspaces. Costs reading four tables. */
export const sealedSecrets = Effect.gen(function* () {
  const webhooks = yield* (yield* Webhooks).all
  const streams = yield* (yield* LogStreams).all
  const viewerKeys = yield* (yield* ViewerKeys).all
  const checkpointKeys = yield* (yield* Checkpoints).keys
  const all: ReadonlyArray<SealedSecret> = [
    ...webhooks.flatMap(({ id, secrets }) =>
      secrets.map(({ sealed }) => ({ kind: "webhook secret" as const, owner: id, sealed }))
    ),
    ...streams.flatMap(({ id, sealed }) =>
      sealed === null ? [] : [{ kind: "log stream secret" as const, owner: id, sealed }]
    ),
    ...viewerKeys.map(({ id, sealed }) => ({ kind: "viewer key" as const, owner: id, sealed })),
    ...checkpointKeys.map(({ number, sealedSeed }) => ({
      kind: "checkpoint key" as const,
      owner: checkpointKeyOwner(number),
      sealed: sealedSeed
    }))
  ]
  return all
})

/** A key that sealed something and is not available. */
export interface MissingSecretKey {
  /** Identifies the key and reveals nothing about it. */
  readonly keyId: string
  /** What it sealed, and how many of each kind. */
  readonly secrets: ReadonlyMap<SealedKind, number>
}

/** The result of opening everything. */
interface SecretInspection {
  readonly missing: ReadonlyArray<MissingSecretKey>
  /** Sealed with an available key, and still not opened: somebody changed or moved it. */
  readonly damaged: ReadonlyArray<SealedSecret>
}

/** Opens everything that is sealed. Costs reading four tables, and some microseconds a secret. */
export const inspectSecrets = Effect.gen(function* () {
  const box = yield* SecretBox
  const missing = new Map<string, Map<SealedKind, number>>()
  const damaged: Array<SealedSecret> = []
  for (const secret of yield* sealedSecrets) {
    const { kind, owner, sealed } = secret
    const opened = box.open(sealed, owner)
    if (Result.isSuccess(opened)) continue
    const { keyId, reason } = opened.failure
    if (reason !== "unknown_key" || keyId === null) {
      damaged.push(secret)
      continue
    }
    const counts = missing.get(keyId) ?? new Map<SealedKind, number>()
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    missing.set(keyId, counts)
  }
  const inspection: SecretInspection = {
    missing: Array.from(missing, ([keyId, secrets]) => ({ keyId, secrets })),
    damaged
  }
  return inspection
})
