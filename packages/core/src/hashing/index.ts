/** SHA-256, HMAC, Ed25519, randomness, and ports for what a platform does faster or keeps secret. */
export { type Ed25519SignerShape, Ed25519Verifier, type Ed25519VerifierShape } from "./Ed25519.ts"
export { HashBatch } from "./HashBatch.ts"
export { Randomness, type RandomnessShape, toHex, uuid, webCryptoRandomness } from "./Randomness.ts"
export { SecretBox, type SecretBoxShape, SecretUnreadable } from "./SecretBox.ts"
export {
  HASH_BYTES,
  nativeSha256,
  platformSha256,
  portableSha256,
  Sha256,
  type Sha256Shape
} from "./Sha256.ts"
