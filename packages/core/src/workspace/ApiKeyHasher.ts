/** Port: how the secret of an API key is stored. */
import { Context, type Effect } from "effect"

/**
 * Contract: the secret cannot be derived from its hash. Hashing may take a tenth of a second and does not
 * block the thread.
 */
export class ApiKeyHasher extends Context.Service<
  ApiKeyHasher,
  { readonly hash: (secret: string) => Effect.Effect<string> }
>()("@cairn/core/ApiKeyHasher") {}
