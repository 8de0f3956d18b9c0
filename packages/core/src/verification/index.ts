/** The chain verified, on demand and by the service itself. */
export { ChainVerifier, VerifyRequest } from "./ChainVerifier.ts"
export { BREAK_MEANING, printable, printableJson, printableLines, sayEvent } from "./FindingWords.ts"
export { SelfVerification, VERIFICATION_CONSUMER } from "./SelfVerification.ts"
export { MAX_DAMAGES, StoreCheck, StoreDamage, StoreFindings, storeFindings } from "./StoreCheck.ts"
export { BrokenChain, ChainBreak, ChainVerification } from "./Verification.ts"
