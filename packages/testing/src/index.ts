/**
 * What Cairn's packages are tested with: one contract suite for each port, the ports in memory, and generators of events.
 *
 * @packageDocumentation
 */
export { alertConsumerContract } from "./AlertConsumerContract.ts"
export type { WholeStorageLayer } from "./AlertSteps.ts"
export { alertsContract } from "./AlertsContract.ts"
export { type AnchorsLayer, anchorsContract } from "./AnchorsContract.ts"
export { apiKeysContract } from "./ApiKeysContract.ts"
export { archiveContract } from "./ArchiveContract.ts"
export { checkpointsContract } from "./CheckpointsContract.ts"
export { consumersContract } from "./ConsumersContract.ts"
export type { ConsumptionLayer, ConsumptionServices } from "./ConsumptionContract.ts"
export * from "./CostOfLength.ts"
export * from "./EventGenerator.ts"
export { eventLogContract } from "./EventLogContract.ts"
export * from "./EvidenceBuilder.ts"
export { type ExportStoreLayer, exportStoreContract } from "./ExportStoreContract.ts"
export { type ExportsLayer, exportsContract } from "./ExportsContract.ts"
export * from "./HostileEvents.ts"
export { inboxContract } from "./InboxContract.ts"
export { type Act, randomStory, type StoryOptions } from "./InterleavedStory.ts"
export {
  type Falsehood,
  falsehoods,
  hasConfirmedAnchor,
  type Reach,
  trueAnchors
} from "./insiders/BundleFacts.ts"
export { type BundleLines, readLines, writeLines } from "./insiders/BundleLines.ts"
export { LINE_TYPES, type LineType, type MemberPath, membersOf } from "./insiders/EvidenceMembers.ts"
export {
  insiderShapes,
  type OlderBundle,
  SHAPES,
  type ShapeBundle,
  type ShapeName,
  type Truth
} from "./insiders/InsiderShapes.ts"
export {
  type Auditor,
  type Cell,
  cellName,
  insiderTrials,
  type Trial,
  type TrialTools
} from "./insiders/InsiderTrials.ts"
export { CHANGES } from "./insiders/MemberChanges.ts"
export { largeSearchContract } from "./LargeReadContract.ts"
export { type Attempt, type LogModel, makeLogModel, type Sender } from "./LogModel.ts"
export * from "./ManualClock.ts"
export * as MemoryAnchors from "./MemoryAnchors.ts"
export * as MemoryExportStore from "./MemoryExportStore.ts"
export * as MemoryStorage from "./MemoryStorage.ts"
export * from "./NaughtyText.ts"
export { outboxContract } from "./OutboxContract.ts"
export { quotaContract } from "./QuotaContract.ts"
export { NEEDLE, telling } from "./RemovableEvent.ts"
export { type RemovalServices, type RemovalStorage, removalContract } from "./RemovalContract.ts"
export { searchIndexerContract } from "./SearchIndexerContract.ts"
export * from "./SeededRandom.ts"
export * from "./ServiceSteps.ts"
export {
  accept as acceptEvents,
  importHistory,
  indexedAtOnce,
  plainEvents,
  type StorageLayer,
  type StorageOptions,
  type StorageServices
} from "./StorageContract.ts"
export * from "./SystemContent.ts"
export { testWorkspace } from "./TestWorkspace.ts"
export { treeStoreContract } from "./TreeStoreContract.ts"
export { verificationContract } from "./VerificationContract.ts"
export { wholeVerification } from "./WholeVerification.ts"
export { type WorkPerTurn, workPerTurn } from "./WorkPerTurn.ts"
export { workspaceCollectionsContract } from "./WorkspaceCollectionContract.ts"
export { workspacesContract } from "./WorkspacesContract.ts"
