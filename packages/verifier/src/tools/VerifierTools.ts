/** What a verification is computed with. */
import type { Ed25519VerifierShape, Sha256Shape } from "@cairn/core/hashing"

/** What the verifier computes with; all of it synchronous. */
export interface VerifierTools {
  readonly sha256: Sha256Shape
  readonly ed25519: Ed25519VerifierShape
  /** Called with the size of each text that is read, in bytes; see `countWork`. */
  readonly parsed?: (bytes: number) => void
}
