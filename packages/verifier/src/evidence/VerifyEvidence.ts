/** Verification of an evidence bundle as it comes: a gzip stream in, a report out. */
import { DamagedGzip, gunzip } from "@cairn/core/encoding"
import { Ed25519Verifier, platformSha256, Sha256 } from "@cairn/core/hashing"
import { Effect, Layer, Stream } from "effect"
import type { ClaimedBlock } from "../anchor/AnchorTransaction.ts"
import type { Report } from "../report/Report.ts"
import { layerPortableEd25519, portableEd25519 } from "../tools/Ed25519.ts"
import type { VerifierTools } from "../tools/VerifierTools.ts"
import type { AuditorKnowledge } from "./AuditorKnowledge.ts"
import { EvidenceVerifier } from "./EvidenceVerifier.ts"

/**
 * What the verifier computes with on this platform: SHA-256 as fast as it can be had, and portable Ed25519.
 */
export const layerTools: Layer.Layer<Sha256 | Ed25519Verifier> = Layer.merge(
  Sha256.layer,
  layerPortableEd25519
)

/** The same tools for code without layers. */
export const platformTools: VerifierTools = {
  sha256: platformSha256,
  ed25519: portableEd25519
}

/** The tools that are provided. */
export const verifierTools: Effect.Effect<VerifierTools, never, Sha256 | Ed25519Verifier> = Effect.gen(
  function* () {
    return { sha256: yield* Sha256, ed25519: yield* Ed25519Verifier }
  }
)

/** How to verify. */
export interface VerifyOptions extends AuditorKnowledge {
  /**
   * Finds the hashes of further blocks on the chain, `0x` and 64 lower-case hexadecimal characters, by
   * number; a block that is not in the result is reported as not checked. Called once, after everything was
   * read. Hashes that the auditor already knows are in `knownBlocks`.
   */
  readonly blockHashes?: (blocks: ReadonlyArray<ClaimedBlock>) => Effect.Effect<ReadonlyMap<number, string>>
}

/** Feeds a verifier with a bundle until its end, or until the rest cannot be read. */
export const feedBundle = <E, R>(
  verifier: EvidenceVerifier,
  bundle: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<void, E, R> =>
  gunzip(bundle).pipe(
    Stream.runForEachWhile((bytes) => Effect.sync(() => verifier.feed(bytes))),
    Effect.catchIf(
      (error): error is DamagedGzip => error instanceof DamagedGzip,
      (damaged) => Effect.sync(() => verifier.abort(damaged.message))
    )
  )

/**
 * Verifies a bundle and says what was proven, what was not checked, and what failed. What is wrong with the
 * bundle is in the report; the effect fails only if the stream does. Costs five SHA-256 an event, and memory
 * for a piece of the bundle or for one line.
 */
export const verifyEvidence = <E, R>(
  bundle: Stream.Stream<Uint8Array, E, R>,
  options: VerifyOptions = {}
): Effect.Effect<Report, E, R | Sha256 | Ed25519Verifier> =>
  Effect.gen(function* () {
    const { blockHashes, ...knowledge } = options
    const verifier = new EvidenceVerifier(yield* verifierTools, knowledge)
    yield* feedBundle(verifier, bundle)
    const hashes = blockHashes === undefined ? undefined : yield* blockHashes(verifier.claimedBlocks)
    return verifier.finish(hashes)
  })
