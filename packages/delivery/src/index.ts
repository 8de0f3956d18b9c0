/** Webhooks, e-mail and log streams: signed, guarded, retried. */

export { layerDiskExportStore } from "./export/DiskExportStore.ts"
export { layerS3ExportStore, type S3ExportStoreConfig } from "./export/S3ExportStore.ts"
export * from "./mail/Mailer.ts"
export * from "./mail/Notices.ts"
export * from "./outbound/OutboundGuard.ts"
export * from "./outbox/OutboxWorker.ts"
export * from "./secret/NodeSecretBox.ts"
export * from "./sinks/DestinationChange.ts"
export type { Destination, SinkEnvironment, SinkKind } from "./sinks/Sink.ts"
export * from "./sinks/Sinks.ts"
export * from "./stream/StreamWorker.ts"
export * from "./webhook/WebhookSender.ts"
