/** How the secrets of API keys are stored: bcrypt, with salts that tell wrong keys without it. */
import { ApiKeyHasher } from "@cairn/core/workspace"
import { hash } from "bcrypt"
import { Effect, Layer } from "effect"
import { markedSalt } from "./MarkedSalt.ts"

/** The secret is random, so the cost only has to slow down a thief of the database. */
const BCRYPT_COST = 10

/** Hashes off the event loop; some 60 ms of a core each. */
export const layerApiKeyHasher = Layer.succeed(ApiKeyHasher, {
  hash: (secret) => Effect.promise(() => hash(secret, markedSalt(secret, BCRYPT_COST)))
})
