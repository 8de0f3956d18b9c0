/** The chain verified, on demand and by the service itself. */
export { BreakNotices } from "./BreakNotices.ts"
export { ChainVerifier, VerifyRequest } from "./ChainVerifier.ts"
export { BREAK_MEANING, printable, printableJson, printableLines, sayEvent } from "./FindingWords.ts"
export {
  MAX_TOLD_BREAKS,
  SelfVerification,
  TELL_AGAIN,
  VERIFICATION_CONSUMER,
  VERIFICATION_STEP
} from "./SelfVerification.ts"
export { BrokenChain, ChainBreak, ChainVerification } from "./Verification.ts"
