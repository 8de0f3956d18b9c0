/** What leaves the service: outbox, webhooks, mail, announcements and log streams. */
export { type Audience, loadAudience, mailDeliveries, testDelivery } from "./Announcement.ts"
export { Announcer, layerAlertNotices, layerBreakNotices } from "./Announcer.ts"
export * as CircuitBreaker from "./CircuitBreaker.ts"
export { DeliveryListRequest, DeliveryReader, DeliveryWithAttempts } from "./DeliveryReader.ts"
export {
  FileDestination,
  HttpsDestination,
  S3Destination,
  SplunkHecDestination,
  SyslogDestination
} from "./DestinationSchemas.ts"
export { Destinations } from "./Destinations.ts"
export { Export, ExportFilters, ExportFormat, ExportStatus } from "./Export.ts"
export { LogStreamInput, LogStreamPatch } from "./LogStreamInput.ts"
export {
  decodeLogStreamSettings,
  LogStreamSettings,
  streamCheckpoint,
  streamFilter,
  streamRecord,
  streamTest,
  takesCheckpoints
} from "./LogStreamSettings.ts"
export {
  type LogStreamSinkShape,
  type SinkAnswer,
  SinkFailed,
  type StreamCheckpoint,
  type StreamRecord,
  type StreamTest
} from "./LogStreamSink.ts"
export { LogStreams, StoredLogStream, streamConsumer } from "./LogStreams.ts"
export { decodeMailNotice, MailNotice } from "./MailNotice.ts"
export { MAIL_REFUSALS, MailRefusal, mailRefusal } from "./MailReceivers.ts"
export {
  checkOutboundUrl,
  type OutboundPolicy,
  OutboundRefused,
  parseNetworks,
  refusalOf
} from "./OutboundAddress.ts"
export { OUTBOUND_EVENT_TYPES, type OutboundEventType, webhookBody } from "./OutboundEvent.ts"
export { OutboundUrls } from "./OutboundUrls.ts"
export {
  type ClaimedDelivery,
  type ClaimShare,
  Delivery,
  DeliveryAttempt,
  DeliveryFilter,
  DeliveryStatus,
  Outbox,
  type Settlement,
  type WaitingReceiver
} from "./Outbox.ts"
export { MAX_RETRY_AFTER, nextAttempt, noteAttempt, parseRetryAfter, RETRY_DELAYS } from "./RetrySchedule.ts"
export { ScheduledCheckpoints } from "./ScheduledCheckpoints.ts"
export { linkAddress, signInMail } from "./SignInMail.ts"
export { signStandardWebhook, verifyStandardWebhook } from "./StandardWebhooks.ts"
export { type BatchLimits, decideBatch } from "./StreamBatch.ts"
export {
  readStreamCheckpoints,
  readStreamHealth,
  STREAM_CHECKPOINTS_KEY,
  STREAM_HEALTH_KEY,
  StreamCheckpoints,
  StreamHealth,
  type StreamStanding,
  streamCheckpointsRow,
  streamHealthRow,
  streamStanding
} from "./StreamHealth.ts"
export { withoutSlashesAround, withoutSlashesAtEnd } from "./UrlSlashes.ts"
export { WebhookInput, WebhookPatch } from "./WebhookInput.ts"
export { SIGNATURE_HEADER, verifyWebhookSignature, webhookSignature } from "./WebhookSignature.ts"
export { activeSecrets, rotatedSecrets, SECRET_OVERLAP, switched, Webhook, Webhooks } from "./Webhooks.ts"
