/** What requests need beside the use cases. */
import { RateBuckets } from "@cairn/core/workspace"
import { Effect, Layer, Option } from "effect"
import { Authenticator } from "../http/gate/Authenticator.ts"
import { WorkspaceDirectory } from "../http/gate/WorkspaceDirectory.ts"
import { RateLimiter } from "../http/limits/RateLimiter.ts"
import * as SharedRateLimiter from "../http/limits/SharedRateLimiter.ts"
import { Draining } from "../http/plumbing/Draining.ts"
import { layerApiKeyHasher } from "../secret/ApiKeyHasher.ts"

/**
 * Rate limits: in Redis when there is one, whose client is larger than all the rest and loaded only then; in
 * the database where processes can share one; else for this process alone.
 */
const layerRateLimiter = (redisUrl: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (redisUrl !== "")
        return (yield* Effect.promise(() => import("../http/limits/RedisRateLimiter.ts"))).layer(redisUrl)
      const buckets = yield* Effect.serviceOption(RateBuckets)
      return Option.isNone(buckets)
        ? RateLimiter.layer
        : SharedRateLimiter.layer.pipe(Layer.provide(Layer.succeed(RateBuckets, buckets.value)))
    })
  )

/** What requests need beside the use cases. */
export const layerHttp = ({ redisUrl }: { readonly redisUrl: string }) =>
  Layer.mergeAll(
    Authenticator.layer.pipe(Layer.provide(layerApiKeyHasher)),
    WorkspaceDirectory.layer,
    layerRateLimiter(redisUrl),
    Draining.layer
  )
