import { platformSha256 } from "@cairn/core/hashing"
import { parseVerifierKey, type VerifierKey } from "@cairn/core/note"
import { Result } from "effect"

/**
 * Reads verifier keys, as the service's operator publishes them. @throws TypeError for a text that is none.
 */
export const trustedKeysOf = (texts: ReadonlyArray<string>): ReadonlyArray<VerifierKey> => {
  if (texts.length === 0) throw new TypeError("a verifier key is needed: without one nothing is proven")
  return texts.map((text) => {
    const key = parseVerifierKey(platformSha256, text)
    if (Result.isSuccess(key)) return key.success
    throw new TypeError(`${JSON.stringify(text)} is no verifier key: ${key.failure.reason}`)
  })
}
