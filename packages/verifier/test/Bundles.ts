/** Bundles as they come over the wire, and who signs the checkpoints in them. */
import { createPrivateKey, createPublicKey, sign } from "node:crypto"
import { gzipSync } from "node:zlib"
import { type Ed25519SignerShape, nativeSha256, portableSha256 } from "@cairn/core/hashing"
import { makeVerifierKey } from "@cairn/core/note"
import { TEST_KEY_NAME } from "@cairn/testing"
import { Effect, Result, Stream } from "effect"
import {
  EvidenceVerifier,
  layerTools,
  portableEd25519,
  type Report,
  type VerifyOptions,
  verifyEvidence
} from "../src/index.ts"

/** What comes before a raw key in its DER form, RFC 8410. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex")
const SPKI_HEADER = 12

export const sha256 = nativeSha256 ?? portableSha256

/** A signer from a seed of 32 equal bytes. */
export const signerOf = (seed: number): Ed25519SignerShape => {
  const der = Buffer.concat([PKCS8, Buffer.alloc(32, seed)])
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" })
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(SPKI_HEADER)
  return {
    publicKey: Uint8Array.from(publicKey),
    sign: (message) => Uint8Array.from(sign(null, message, key))
  }
}

/** Signs the checkpoints of the logs in these tests. */
export const signer = signerOf(7)

export const serviceKey = Result.getOrThrow(makeVerifierKey(sha256, TEST_KEY_NAME, signer.publicKey))

/** The lines as a gzip stream in pieces. */
export const stream = (
  lines: ReadonlyArray<string> | Uint8Array,
  pieceBytes = 1_000
): Stream.Stream<Uint8Array> => {
  const bytes = lines instanceof Uint8Array ? lines : gzipSync(lines.join(""))
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes)
  )
  return Stream.fromIterable(pieces)
}

/** Verifies a bundle on behalf of an auditor who knows the service's key. */
export const verify = (
  lines: ReadonlyArray<string> | Uint8Array,
  options: VerifyOptions = {}
): Effect.Effect<Report> =>
  verifyEvidence(stream(lines), { trustedKeys: [serviceKey], ...options }).pipe(Effect.provide(layerTools))

/** Verifies what a bundle unpacks to, at once. */
export const verifyLines = (bytes: Uint8Array): Report => {
  const verifier = new EvidenceVerifier({ sha256, ed25519: portableEd25519 }, { trustedKeys: [serviceKey] })
  verifier.feed(bytes)
  return verifier.finish()
}
