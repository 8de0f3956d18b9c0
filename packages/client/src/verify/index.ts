/**
 * Checks what the service says: events by their proofs, webhooks by their signatures, and that the log only
 * grows. All of it works offline, and in a browser.
 *
 * @packageDocumentation
 */

export {
  type CheckedCheckpoint,
  CheckpointKeeper,
  type CheckpointSource,
  type CheckpointStore,
  CheckpointUntrustedError,
  type KeptCheckpoint,
  LogChangedError,
  LogStaleError,
  LogUnprovenError,
  memoryCheckpoints
} from "./CheckpointKeeper.ts"
export {
  type EventClaim,
  type EventReport,
  type Finding,
  type Knowledge,
  verifyEvent
} from "./VerifyEvent.ts"
export {
  type VerifiedWebhook,
  verifyWebhook,
  type WebhookFault,
  type WebhookHeaders,
  WebhookRefusedError
} from "./VerifyWebhook.ts"
