/** The proof of one event. */
export {
  AnchoredEvent,
  EventProof,
  type EventProofError,
  EventProofs,
  ProvenEvent,
  verifyEventProof,
  verifyProvenEvent
} from "./EventProof.ts"
export { EventProver, ProofRequest, ProofTexts } from "./EventProver.ts"
