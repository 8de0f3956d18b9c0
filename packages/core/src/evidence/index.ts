/** Evidence bundles: format, writer and reader. */
export { AnchorEvidence } from "./AnchorEvidence.ts"
export {
  EVIDENCE_FORMAT,
  EvidenceAnchor,
  EvidenceCheckpoint,
  EvidenceEnd,
  type EvidenceEvent,
  EvidenceHeader,
  type EvidenceLegacy,
  type EvidenceLine,
  EvidencePrefix,
  EvidenceRemoval
} from "./Evidence.ts"
export { EvidenceExport, type EvidenceExportError, type EvidenceRequest } from "./EvidenceExport.ts"
export { EvidenceCutOff, EvidenceReader, MalformedEvidence } from "./EvidenceReader.ts"
export {
  anchorLine,
  checkpointLine,
  type EvidenceSource,
  endLine,
  eventLine,
  headerLine,
  legacyLine,
  prefixLine,
  removalLine
} from "./EvidenceWriter.ts"
