/** The verification of files, of which a report can be made. */
import type { Ed25519Verifier, Sha256 } from "@cairn/core/hashing"
import { Effect, type Stream } from "effect"
import { compareEvidence } from "../comparison/CompareEvidence.ts"
import { type VerifyOptions, verifyEvidence } from "../evidence/VerifyEvidence.ts"
import type { ComparisonReport, Report } from "../report/Report.ts"
import { DigestedFile, type EvidenceFile, type FileChanged } from "./EvidenceFile.ts"

/** A file that is to be verified. The stream may be read more than once. */
export interface EvidenceSource<E, R> {
  /** Its name, without a folder. */
  readonly name: string
  readonly stream: Stream.Stream<Uint8Array, E, R>
}

/** What a verification found, and in which files. */
export interface CheckedEvidence {
  readonly report: Report | ComparisonReport
  /** The file, or the earlier and the later one. */
  readonly files: ReadonlyArray<EvidenceFile>
}

/**
 * Verifies a bundle, or a later one against an earlier one, and identifies the files by their SHA-256. Fails
 * if a file is changed while it is read. See `verifyEvidence` and `compareEvidence`.
 */
export const checkEvidence = <E, R>(
  sources: readonly [EvidenceSource<E, R>] | readonly [EvidenceSource<E, R>, EvidenceSource<E, R>],
  options: VerifyOptions = {}
): Effect.Effect<CheckedEvidence, E | FileChanged, R | Sha256 | Ed25519Verifier> =>
  Effect.gen(function* () {
    const [first, second] = sources
    const only = new DigestedFile(first.name, first.stream)
    if (second === undefined) {
      const report: Report = yield* verifyEvidence(only.stream, options)
      return { report, files: [yield* only.file] }
    }
    const newer = new DigestedFile(second.name, second.stream)
    const report: ComparisonReport = yield* compareEvidence(only.stream, newer.stream, options)
    return { report, files: [yield* only.file, yield* newer.file] }
  })
