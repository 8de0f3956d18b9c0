/**
 * Ed25519 in portable TypeScript, by the library that is audited and used most; it runs where WebCrypto is
 * missing.
 */
import { Ed25519Verifier, type Ed25519VerifierShape } from "@cairn/core/hashing"
import { ed25519 } from "@noble/curves/ed25519.js"
import { Layer } from "effect"

/**
 * Verification exactly as RFC 8032 section 5.1.7 specifies: the additional encodings of ZIP 215 would give
 * one key two spellings. About a millisecond a signature.
 */
export const portableEd25519: Ed25519VerifierShape = {
  verify: (publicKey, message, signature) => {
    try {
      return ed25519.verify(signature, message, publicKey, { zip215: false })
    } catch {
      // Invalid lengths and points.
      return false
    }
  }
}

/** {@link portableEd25519} as the service. */
export const layerPortableEd25519 = Layer.succeed(Ed25519Verifier, portableEd25519)
