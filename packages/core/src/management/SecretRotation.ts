/** Rotation of the service's secret key: everything sealed with an older key is sealed with the newest. */
import { Context, Effect, Layer, Result } from "effect"
import { Checkpoints, checkpointKeyOwner } from "../checkpoint/Checkpoints.ts"
import { SecretBox, type SecretBoxShape, type SecretUnreadable } from "../hashing/SecretBox.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { LogStreams } from "../outbound/LogStreams.ts"
import { Webhooks } from "../outbound/Webhooks.ts"
import { ViewerKeys } from "../workspace/ViewerKeys.ts"

/** The result of a rotation. */
interface SecretsRotated {
  /** Sealed again. */
  readonly resealed: number
  /** Already sealed with the newest key. */
  readonly current: number
}

/** What the rotation needs. */
const loadServices = Effect.gen(function* () {
  return {
    box: yield* SecretBox,
    webhooks: yield* Webhooks,
    streams: yield* LogStreams,
    viewerKeys: yield* ViewerKeys,
    checkpoints: yield* Checkpoints
  }
})
type Services = Effect.Success<typeof loadServices>

const reseal = (
  box: SecretBoxShape,
  sealed: string,
  owner: string
): Result.Result<string, SecretUnreadable> =>
  box.isCurrent(sealed)
    ? Result.succeed(sealed)
    : Result.map(box.open(sealed, owner), (secret) => box.seal(secret, owner))

/** Seals what is not sealed with the newest key, one secret after the other. */
const rotateEach = <A, E>(
  box: SecretBoxShape,
  all: ReadonlyArray<A>,
  sealedOf: (one: A) => string,
  sealAnew: (one: A) => Effect.Effect<unknown, E>
) =>
  Effect.gen(function* () {
    const old = all.filter((one) => !box.isCurrent(sealedOf(one)))
    yield* Effect.forEach(old, sealAnew, { discard: true })
    return { resealed: old.length, current: all.length - old.length }
  })

/** A webhook has several secrets; all of them are sealed again together. */
const rotateWebhooks = Effect.fnUntraced(function* ({ box, webhooks }: Services) {
  let resealed = 0
  let current = 0
  for (const { id, workspace_id, secrets } of yield* webhooks.all) {
    const old = secrets.filter(({ sealed }) => !box.isCurrent(sealed)).length
    current += secrets.length - old
    if (old === 0) continue
    yield* webhooks.modify(workspace_id, id, (webhook) =>
      Result.map(
        Result.all(
          webhook.secrets.map((secret) =>
            Result.map(reseal(box, secret.sealed, id), (sealed) => ({ ...secret, sealed }))
          )
        ),
        (all) => ({ ...webhook, secrets: all })
      )
    )
    resealed += old
  }
  return { resealed, current }
})

const rotateStreams = Effect.fnUntraced(function* ({ box, streams }: Services) {
  const sealed = (yield* streams.all).flatMap((stream) =>
    stream.sealed === null ? [] : [{ ...stream, sealed: stream.sealed }]
  )
  return yield* rotateEach(
    box,
    sealed,
    (stream) => stream.sealed,
    ({ id, workspace_id }) =>
      streams.modify(workspace_id, id, (stream) =>
        stream.sealed === null
          ? Result.succeed(stream)
          : Result.map(reseal(box, stream.sealed, id), (resealed) => ({ ...stream, sealed: resealed }))
      )
  )
})

const rotateViewerKeys = Effect.fnUntraced(function* ({ box, viewerKeys }: Services) {
  return yield* rotateEach(
    box,
    yield* viewerKeys.all,
    ({ sealed }) => sealed,
    ({ id, workspace_id }) =>
      viewerKeys.modify(workspace_id, id, (key) =>
        Result.map(reseal(box, key.sealed, id), (resealed) => ({ ...key, sealed: resealed }))
      )
  )
})

const rotateCheckpointKeys = Effect.fnUntraced(function* ({ box, checkpoints }: Services) {
  return yield* rotateEach(
    box,
    yield* checkpoints.keys,
    ({ sealedSeed }) => sealedSeed,
    ({ number, sealedSeed }) =>
      Effect.flatMap(Effect.fromResult(reseal(box, sealedSeed, checkpointKeyOwner(number))), (resealed) =>
        checkpoints.resealKey(number, resealed)
      )
  )
})

const rotate = Effect.fnUntraced(function* (services: Services) {
  const done = [
    yield* rotateWebhooks(services),
    yield* rotateStreams(services),
    yield* rotateViewerKeys(services),
    yield* rotateCheckpointKeys(services)
  ]
  return {
    resealed: done.reduce((sum, { resealed }) => sum + resealed, 0),
    current: done.reduce((sum, { current }) => sum + current, 0)
  } satisfies SecretsRotated
})

/**
 * The use case *rotate the secret key*. It may be run at any time and any number of times, also while a
 * server with both keys runs. After it has ended, the older key may be removed. A secret that cannot be
 * opened ends it; those before it are done.
 */
export class SecretRotation extends Context.Service<
  SecretRotation,
  { readonly rotate: Effect.Effect<SecretsRotated, SecretUnreadable | StorageUnavailable> }
>()("@cairn/core/SecretRotation") {
  static readonly layer = Layer.effect(
    SecretRotation,
    Effect.map(loadServices, (services) => SecretRotation.of({ rotate: rotate(services) }))
  )
}
