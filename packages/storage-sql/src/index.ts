/**
 * What Cairn's SQL storage adapters share: rows, and the statements that both dialects understand.
 *
 * @packageDocumentation
 */

export * as AlertRows from "./AlertRows.ts"
export * as AnchorRows from "./AnchorRows.ts"
export * as ApiKeyRows from "./ApiKeyRows.ts"
export * as CheckpointRows from "./CheckpointRows.ts"
export * as CollectionRows from "./CollectionRows.ts"
export * as ConsumerRows from "./ConsumerRows.ts"
export * from "./ConsumptionRemoval.ts"
export * from "./copy/CopyTables.ts"
export * from "./copy/TableShape.ts"
export * from "./copy/TableStore.ts"
export * from "./EventHashes.ts"
export * from "./EventRows.ts"
export * as ExportRows from "./ExportRows.ts"
export { readAuditLogOptions } from "./embed/AuditLogOptions.ts"
export { evidenceMachine } from "./embed/EvidenceMachine.ts"
export * from "./frame/EventIndexShape.ts"
export * from "./frame/EventsOverFrames.ts"
export * from "./frame/FacetCache.ts"
export * from "./frame/FrameBlob.ts"
export * from "./frame/FrameCheck.ts"
export * from "./frame/FrameRemoval.ts"
export * from "./frame/FrameRows.ts"
export * from "./frame/FrameSearch.ts"
export * from "./frame/FrameStore.ts"
export * from "./frame/FrameTail.ts"
export * from "./frame/FrameWriting.ts"
export * from "./frame/KeptTails.ts"
export * from "./frame/OccurrenceRows.ts"
export * from "./frame/OccurrenceStore.ts"
export * from "./HeadRow.ts"
export * from "./InboxRows.ts"
export * from "./inspect/LogInspection.ts"
export * from "./KeyRows.ts"
export * from "./NewestRows.ts"
export * as OutboxRows from "./OutboxRows.ts"
export * from "./ParkedRows.ts"
export * as PeopleRows from "./PeopleRows.ts"
export * from "./RemovalTally.ts"
export * from "./RowBatches.ts"
export * as SessionRows from "./SessionRows.ts"
export * as SignInLinkRows from "./SignInLinkRows.ts"
export * from "./StorableText.ts"
export * from "./StorageFailure.ts"
export * from "./StoredRows.ts"
export * from "./StrayKeyRows.ts"
export { layerEd25519Signers } from "./secret/NodeEd25519.ts"
export {
  decodeSecretKeys,
  InvalidSecretKeys,
  layerSecretBox,
  makeSecretBox,
  secretKeyId
} from "./secret/NodeSecretBox.ts"
export * as TreeTileRows from "./TreeTileRows.ts"
export * as WorkspaceIds from "./WorkspaceIds.ts"
export * from "./WorkspaceKeys.ts"
export * as WorkspaceRows from "./WorkspaceRows.ts"
