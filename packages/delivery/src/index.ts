/** Webhooks, e-mail, log streams and the stores of exports: signed, guarded, retried. */
export { layerDiskExportStore } from "./export/DiskExportStore.ts"
export type { S3ExportStoreConfig } from "./export/S3Client.ts"
export { layerS3ExportStore } from "./export/S3ExportStore.ts"
export {
  checkMailServer,
  type Mail,
  Mailer,
  type MailerShape,
  MailFailed,
  type SmtpOptions
} from "./mail/Mailer.ts"
export {
  layerOutboundUrls,
  OutboundGuard,
  type OutboundGuardOptions,
  type OutboundGuardShape
} from "./outbound/OutboundGuard.ts"
export type { OutboundFailed } from "./outbound/OutboundHttp.ts"
export { type OutboundPlace, placeOfUrl, reachOutbound } from "./outbound/OutboundReach.ts"
export { OutboxWorker, type OutboxWorkerShape } from "./outbox/OutboxWorker.ts"
export { layerDestinations } from "./sinks/Destinations.ts"
export type { Destination, SinkKind } from "./sinks/SinkKind.ts"
export { decodeDestination, sealDestination } from "./sinks/Sinks.ts"
export type { OpenStream } from "./stream/OpenStream.ts"
export type { StreamTurn } from "./stream/StreamTurn.ts"
export { StreamWorker, type StreamWorkerOptions, type StreamWorkerShape } from "./stream/StreamWorker.ts"
export { WebhookSender, type WebhookSenderShape } from "./webhook/WebhookSender.ts"
