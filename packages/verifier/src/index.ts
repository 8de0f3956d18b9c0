/**
 * Checks Cairn's chains, proofs, anchors and evidence bundles offline. It needs no API of Node, so that it runs in a browser as it is;
 * the command `cairn-verify` is made of it.
 */
export type { ClaimedBlock } from "./AnchorTransaction.ts"
export type { AuditorKnowledge } from "./AuditorKnowledge.ts"
export { compareEvidence } from "./CompareEvidence.ts"
export type { EarlierTree } from "./EarlierCheck.ts"
export { layerPortableEd25519, portableEd25519 } from "./Ed25519.ts"
export type { EventName } from "./EventNames.ts"
export { EvidenceVerifier } from "./EvidenceVerifier.ts"
export {
  type Failure,
  type FailureCode,
  type FindingLists,
  MAX_LISTED_FINDINGS,
  type Proof,
  type Subject,
  type Unchecked
} from "./Finding.ts"
export type { BroughtName, BroughtReport, ClaimName, ClaimReport, ObligationsReport } from "./Obligations.ts"
export {
  type ComparisonReport,
  comparisonText,
  type ExitStatus,
  exitCode,
  type Report,
  reportText,
  type Verdict
} from "./Report.ts"
export type { Unreadable } from "./Unreadable.ts"
export type { VerifierTools } from "./VerifierTools.ts"
export { type EventClaim, type EventReport, type ReaderKnowledge, verifyEvent } from "./VerifyEvent.ts"
export { layerTools, platformTools, type VerifyOptions, verifyEvidence } from "./VerifyEvidence.ts"
export { countWork, type Work } from "./WorkCount.ts"
