/**
 * Ed25519 signatures (RFC 8032) as services, because the implementation differs by platform: Node's own on a
 * server, a portable one in a browser, whose own WebCrypto is asynchronous and absent on plain `http`.
 *
 * Both services are synchronous and have no effects, like `Sha256`.
 */
import { Context } from "effect"

/** Bytes of an Ed25519 public key, RFC 8032 section 5.1.5. */
export const ED25519_KEY_BYTES = 32

/** Bytes of an Ed25519 signature, RFC 8032 section 5.1.6. */
export const ED25519_SIGNATURE_BYTES = 64

/** Checks signatures. */
export interface Ed25519VerifierShape {
  /**
   * Whether `signature` (64 bytes) was made by `publicKey` (32 bytes) over `message`, RFC 8032 section 5.1.7.
   * Returns false for bytes of any other length and for a key that is no point of the curve; never throws.
   */
  readonly verify: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean
}

/** The provider of signature checks. */
export class Ed25519Verifier extends Context.Service<Ed25519Verifier, Ed25519VerifierShape>()(
  "@cairn/core/Ed25519Verifier"
) {}

/** Signs with one key. */
export interface Ed25519SignerShape {
  /** The 32-byte key that verifies the signatures of {@link sign}. */
  readonly publicKey: Uint8Array
  /** The signature over `message`, 64 bytes. The same message always has the same signature. */
  readonly sign: (message: Uint8Array) => Uint8Array
}
