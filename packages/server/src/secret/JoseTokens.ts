/** The signatures of tokens, made and checked by `jose`. */
import { TokenSigner } from "@cairn/core/workspace"
import { Effect, Layer } from "effect"
import type { CryptoKey } from "jose"
import { JOSEError } from "jose/errors"
import { CompactSign } from "jose/jws/compact/sign"
import { compactVerify } from "jose/jws/compact/verify"

const HMAC = { name: "HMAC", hash: "SHA-256" }
const ALGORITHMS = { algorithms: ["HS256"] }

const utf8 = new TextEncoder()

/**
 * Imports each key once: what was imported is remembered for as long as the array with its bytes is in use
 * elsewhere, and no longer.
 */
const keyImporter = (): ((bytes: Uint8Array) => Promise<CryptoKey>) => {
  const imported = new WeakMap<Uint8Array, Promise<CryptoKey>>()
  return (bytes) => {
    const known = imported.get(bytes)
    if (known !== undefined) return known
    const key = crypto.subtle.importKey("raw", Uint8Array.from(bytes), HMAC, false, ["sign", "verify"])
    imported.set(bytes, key)
    return key
  }
}

/** Signs and checks by WebCrypto, off the event loop. */
export const layerTokenSigner = Layer.sync(TokenSigner, () => {
  const keyOf = keyImporter()
  return TokenSigner.of({
    sign: ({ keyId, key, payload }) =>
      Effect.promise(async () =>
        new CompactSign(utf8.encode(payload))
          .setProtectedHeader({ alg: "HS256", kid: keyId, typ: "JWT" })
          .sign(await keyOf(key))
      ),
    isAuthentic: ({ text }, key) =>
      Effect.promise(async () => {
        try {
          await compactVerify(text, await keyOf(key), ALGORITHMS)
          return true
        } catch (error) {
          if (error instanceof JOSEError) return false
          throw error
        }
      })
  })
})
