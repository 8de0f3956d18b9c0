/** Rotation of the service's secret key: everything sealed with an older one is sealed with the newest. */
import { Context, Effect, Layer, Result } from "effect"
import { Checkpoints, checkpointKeyOwner } from "../checkpoint/Checkpoints.ts"
import { SecretBox, type SecretUnreadable } from "../hashing/SecretBox.ts"
import type { StorageUnavailable } from "../log/Storage.ts"
import { LogStreams } from "../outbound/LogStreams.ts"
import { Webhooks } from "../outbound/Webhooks.ts"
import { ViewerKeys } from "../workspace/ViewerKeys.ts"

/** What was done. */
interface SecretsRotated {
  /** Sealed anew. */
  readonly resealed: number
  /** Sealed with the newest key already. */
  readonly current: number
}

/**
 * The use case *rotate the secret key*. It may be run at any time and any number of times, beside a server that knows both keys; once it has
 * ended, the older key may be taken away. A secret that cannot be opened ends it; those before it are done.
 */
export class SecretRotation extends Context.Service<
  SecretRotation,
  { readonly rotate: Effect.Effect<SecretsRotated, SecretUnreadable | StorageUnavailable> }
>()("@cairn/core/SecretRotation") {
  static readonly layer = Layer.effect(
    SecretRotation,
    Effect.gen(function* () {
      const box = yield* SecretBox
      const webhooks = yield* Webhooks
      const streams = yield* LogStreams
      const viewerKeys = yield* ViewerKeys
      const checkpoints = yield* Checkpoints

      const reseal = (sealed: string, owner: string): Result.Result<string, SecretUnreadable> =>
        box.isCurrent(sealed)
          ? Result.succeed(sealed)
          : Result.map(box.open(sealed, owner), (secret) => box.seal(secret, owner))

      const rotateWebhooks = Effect.gen(function* () {
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
                  Result.map(reseal(secret.sealed, id), (sealed) => ({ ...secret, sealed }))
                )
              ),
              (all) => ({ ...webhook, secrets: all })
            )
          )
          resealed += old
        }
        return { resealed, current }
      })

      const rotateStreams = Effect.gen(function* () {
        let resealed = 0
        let current = 0
        for (const { id, workspace_id, sealed } of yield* streams.all) {
          if (sealed === null) continue
          if (box.isCurrent(sealed)) {
            current++
            continue
          }
          yield* streams.modify(workspace_id, id, (stream) =>
            stream.sealed === null
              ? Result.succeed(stream)
              : Result.map(reseal(stream.sealed, id), (anew) => ({ ...stream, sealed: anew }))
          )
          resealed++
        }
        return { resealed, current }
      })

      const rotateViewerKeys = Effect.gen(function* () {
        let resealed = 0
        let current = 0
        for (const { id, workspace_id, sealed } of yield* viewerKeys.all) {
          if (box.isCurrent(sealed)) {
            current++
            continue
          }
          yield* viewerKeys.modify(workspace_id, id, (key) =>
            Result.map(reseal(key.sealed, id), (anew) => ({ ...key, sealed: anew }))
          )
          resealed++
        }
        return { resealed, current }
      })

      const rotateCheckpointKeys = Effect.gen(function* () {
        let resealed = 0
        let current = 0
        for (const { number, sealedSeed } of yield* checkpoints.keys) {
          if (box.isCurrent(sealedSeed)) {
            current++
            continue
          }
          yield* checkpoints.resealKey(
            number,
            yield* Effect.fromResult(reseal(sealedSeed, checkpointKeyOwner(number)))
          )
          resealed++
        }
        return { resealed, current }
      })

      const rotate = Effect.gen(function* () {
        const done = [
          yield* rotateWebhooks,
          yield* rotateStreams,
          yield* rotateViewerKeys,
          yield* rotateCheckpointKeys
        ]
        return {
          resealed: done.reduce((sum, { resealed }) => sum + resealed, 0),
          current: done.reduce((sum, { current }) => sum + current, 0)
        }
      })
      return SecretRotation.of({ rotate })
    })
  )
}
