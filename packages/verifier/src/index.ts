/**
 * Checks Cairn's chains, proofs, anchors and evidence bundles offline. It needs no API of Node, so that it
 * runs in a browser as it is; the command `cairn-verify` is made of it.
 */
export type { ClaimedBlock } from "./anchor/AnchorTransaction.ts"
export type { EarlierTree } from "./checkpoint/EarlierCheck.ts"
export { compareEvidence } from "./comparison/CompareEvidence.ts"
export { type CheckedEvidence, checkEvidence, type EvidenceSource } from "./document/CheckEvidence.ts"
export { type EvidenceFile, FileChanged } from "./document/EvidenceFile.ts"
export { evidenceReport, evidenceReportHtml } from "./document/EvidenceReport.ts"
export { type PageElement, toNode } from "./document/PageElement.ts"
export type { ReportFacts } from "./document/ReportFacts.ts"
export { REPORT_STYLE } from "./document/ReportStyle.ts"
export { comparisonText, reportText } from "./document/ReportText.ts"
export { type Vouching, vouchingFor } from "./document/Vouching.ts"
export type { EventName } from "./event/EventNames.ts"
export { type EventClaim, type EventReport, type ReaderKnowledge, verifyEvent } from "./event/VerifyEvent.ts"
export { type AuditorKnowledge, BASE } from "./evidence/AuditorKnowledge.ts"
export { EvidenceVerifier } from "./evidence/EvidenceVerifier.ts"
export { type KnowledgeTexts, MalformedKnowledge, parseKnowledge } from "./evidence/KnowledgeInput.ts"
export { layerTools, platformTools, type VerifyOptions, verifyEvidence } from "./evidence/VerifyEvidence.ts"
export {
  type Failure,
  type FailureCode,
  type FindingLists,
  MAX_LISTED_FINDINGS,
  type Proof,
  type Subject,
  type Unchecked
} from "./report/Finding.ts"
export type {
  BroughtName,
  BroughtReport,
  ClaimName,
  ClaimReport,
  ObligationsReport
} from "./report/Obligations.ts"
export {
  type ComparisonReport,
  type ExitStatus,
  exitCode,
  type KeyReport,
  type Report,
  type Verdict
} from "./report/Report.ts"
export type { Unreadable } from "./report/Unreadable.ts"
export { layerPortableEd25519, portableEd25519 } from "./tools/Ed25519.ts"
export type { VerifierTools } from "./tools/VerifierTools.ts"
export { countWork, type Work } from "./tools/WorkCount.ts"
