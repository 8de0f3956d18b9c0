/** Anchors on a public chain: the port `AnchorChain`, periods, closing, submission and verification. */

export {
  AnchorChain,
  type AnchorChainShape,
  BASE,
  ChainUnavailable,
  FeeTooHigh,
  type SignedTransaction,
  type TransactionFate,
  type TransactionPlace,
  type TransactionReading,
  TransactionRefused
} from "./AnchorChain.ts"
export { LogDamaged } from "./AnchorClosing.ts"
export { Anchoring, type AnchoringOptions, type AnchoringRound } from "./Anchoring.ts"
export { anchorPayload, logIdHash, parseAnchorPayload, previousAnchorHash } from "./AnchorPayload.ts"
export { AnchorSchedule, MAX_ANCHOR_PERIOD, MIN_ANCHOR_PERIOD } from "./AnchorPeriod.ts"
export { AnchorReader } from "./AnchorReader.ts"
export {
  type AnchorCreation,
  Anchors,
  type AnchorsShape,
  ClosedPeriod,
  type RipePeriod,
  type StoredAnchor,
  type StoredTransaction,
  type Submission,
  type Unanchored
} from "./Anchors.ts"
export { AnchorVerifier } from "./AnchorVerifier.ts"
export { Anchor, AnchorDetail, AnchorVerification, OnChain } from "./AnchorView.ts"
export { EvidenceBlock } from "./EvidenceBlock.ts"
export { UnknownAnchors } from "./UnknownAnchors.ts"
