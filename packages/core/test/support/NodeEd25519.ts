/** Ed25519 from node:crypto, for tests of the core. */
import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto"
import type { Ed25519SignerShape, Ed25519VerifierShape } from "@cairn/core/hashing"

/** What comes before a raw key in its DER form, RFC 8410. */
const SPKI = Buffer.from("302a300506032b6570032100", "hex")
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex")

export const ed25519: Ed25519VerifierShape = {
  verify: (publicKey, message, signature) => {
    const key = createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: "der", type: "spki" })
    return verify(null, message, key, signature)
  }
}

/** A signer from a seed of 32 equal bytes. */
export const signerOf = (seed: number): Ed25519SignerShape => {
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, Buffer.alloc(32, seed)]),
    format: "der",
    type: "pkcs8"
  })
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(SPKI.length)
  return {
    publicKey: Uint8Array.from(publicKey),
    sign: (message) => Uint8Array.from(sign(null, message, key))
  }
}
