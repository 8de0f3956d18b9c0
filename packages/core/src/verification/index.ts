/** The chain verified, on demand and by the service itself. */

export { BreakNotices } from "./BreakNotices.ts"
export { VERIFICATION_CONSUMER } from "./BreakRows.ts"
export { ChainVerifier, VerifyRequest } from "./ChainVerifier.ts"
export { BREAK_MEANING, printable, printableJson, printableLines, sayEvent } from "./FindingWords.ts"
export { SelfVerification } from "./SelfVerification.ts"
export { MAX_DAMAGES, StoreCheck, StoreDamage, StoreFindings, storeFindings } from "./StoreCheck.ts"
export { BrokenChain, ChainBreak, ChainVerification } from "./Verification.ts"
export { Finding, LogVerificationStatus, readVerification, VerificationStatus } from "./VerificationStatus.ts"
