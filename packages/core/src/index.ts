/**
 * The audit log itself: the names that an embedding program needs.
 *
 * Most programs call `openAuditLog` of `@cairn/storage-sqlite` or `@cairn/storage-postgres`, and need from
 * here only the types and errors of an {@link AuditLog}. The rest is for storages and for programs written
 * with Effect, which compose the services themselves: services that accept, sequence, read, verify, prove,
 * sign, anchor and bundle, and the ports under them. Everything else is in the rooms, such as
 * `@cairn/core/merkle`.
 *
 * @packageDocumentation
 */

// The log with plain promises.
export {
  type AuditEvent,
  type AuditEventFilter,
  type AuditEventTarget,
  type AuditLog,
  AuditLogClosed,
  AuditLogError,
  type AuditLogErrorCode,
  type AuditLogPorts,
  type AuditLogStorage,
  AuditLogUnavailable,
  type AuditLogVerification,
  type AuditLogWarn,
  type AuditMetadata,
  type EvidenceMachine,
  InvalidArgument,
  type Log,
  makeAuditLog,
  type RecordedEvent,
  type WrittenEvidence
} from "./AuditLog.ts"

// Anchors on a public chain.
export { AnchorChain } from "./anchor/AnchorChain.ts"
export { Anchoring } from "./anchor/Anchoring.ts"
export { Anchors } from "./anchor/Anchors.ts"
export { AnchorVerifier } from "./anchor/AnchorVerifier.ts"

// Signed states of the log.
export { CheckpointSigner, Ed25519Signers } from "./checkpoint/CheckpointSigner.ts"
export { Checkpoints } from "./checkpoint/Checkpoints.ts"
export { LogCheckpoints, LogNotAsSigned } from "./checkpoint/LogCheckpoints.ts"
export { LogTree } from "./checkpoint/LogTree.ts"
export { TreeStore } from "./checkpoint/TreeStore.ts"
export { Consumers } from "./consumer/Consumers.ts"

// Events.
export { Event } from "./event/Event.ts"
export { EventFilter } from "./event/EventFilter.ts"
export { EventInput } from "./event/EventInput.ts"
export { GeoIp, type Place } from "./event/GeoIp.ts"
export { InvalidInput } from "./event/InvalidInput.ts"

// Evidence and its parts.
export { AnchorEvidence } from "./evidence/AnchorEvidence.ts"
export { EvidenceExport, type EvidenceRequest } from "./evidence/EvidenceExport.ts"
export { EvidenceReader } from "./evidence/EvidenceReader.ts"

// What differs by platform.
export { Ed25519Verifier } from "./hashing/Ed25519.ts"
export { Randomness } from "./hashing/Randomness.ts"
export { SecretBox, SecretUnreadable } from "./hashing/SecretBox.ts"
export { Sha256 } from "./hashing/Sha256.ts"

// The log: accepting, sequencing, reading, and the ports that storage implements.
export { Acceptance } from "./log/Acceptance.ts"
export { type AcceptContext, type BatchOutcome, BatchRefused } from "./log/AcceptRequests.ts"
export { ClockAhead, ClockGuard } from "./log/ClockGuard.ts"
export { Continuity, StoreBehind } from "./log/Continuity.ts"
export { EventCounts } from "./log/EventCounts.ts"
export { EventLog } from "./log/EventLog.ts"
export { EventReader, ListRequest } from "./log/EventReader.ts"
export { type AcceptOutcome, Inbox, InboxFull, LogClosed, QuotaReached } from "./log/Inbox.ts"
export { InboxSignal } from "./log/InboxSignal.ts"
export { Page } from "./log/Page.ts"
export { SearchIndexer } from "./log/SearchIndexer.ts"
export { Sequencer } from "./log/Sequencer.ts"
export { StorageUnavailable } from "./log/StorageUnavailable.ts"
export { StoreClock } from "./log/StoreClock.ts"
export { Workspace, Workspaces } from "./log/Workspace.ts"

// Proving and verifying.
export { EventProof, verifyEventProof } from "./proof/EventProof.ts"
export { EventProver, ProofRequest } from "./proof/EventProver.ts"
export { ChainVerifier, VerifyRequest } from "./verification/ChainVerifier.ts"
export { ChainBreak, ChainVerification } from "./verification/Verification.ts"
