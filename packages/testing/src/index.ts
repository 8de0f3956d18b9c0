/**
 * What Cairn's packages are tested with: one contract suite for each port, the ports in memory, and
 * generators of events.
 *
 * @packageDocumentation
 */
export { alertConsumerContract } from "./contracts/AlertConsumerContract.ts"
export type { WholeStorageLayer } from "./contracts/AlertSteps.ts"
export { alertsContract } from "./contracts/AlertsContract.ts"
export type { AnchorsLayer } from "./contracts/AnchorSteps.ts"
export { anchorsContract } from "./contracts/AnchorsContract.ts"
export { apiKeysContract } from "./contracts/ApiKeysContract.ts"
export { archiveContract } from "./contracts/ArchiveContract.ts"
export { checkpointsContract } from "./contracts/CheckpointsContract.ts"
export { consumersContract } from "./contracts/ConsumersContract.ts"
export type { ConsumptionLayer, ConsumptionServices } from "./contracts/ConsumptionContract.ts"
export { eventLogContract, eventQueryContract, indexedSearchContract } from "./contracts/EventLogContract.ts"
export { type ExportStoreLayer, exportStoreContract } from "./contracts/ExportStoreContract.ts"
export { type ExportsLayer, exportsContract } from "./contracts/ExportsContract.ts"
export { inboxContract } from "./contracts/InboxContract.ts"
export { largeSearchContract } from "./contracts/LargeReadContract.ts"
export { outboxContract } from "./contracts/OutboxContract.ts"
export { peopleContract } from "./contracts/PeopleContract.ts"
export { peopleProcessesContract, type TwoProcesses } from "./contracts/PeopleProcessesContract.ts"
export type { PeopleLayer, PeopleServices } from "./contracts/PeopleSteps.ts"
export { quotaContract } from "./contracts/QuotaContract.ts"
export { removalContract } from "./contracts/RemovalContract.ts"
export type { RemovalServices, RemovalStorage } from "./contracts/RemovalSteps.ts"
export { type CheckedStorage, searchCheckContract } from "./contracts/SearchCheckContract.ts"
export { searchIndexerContract } from "./contracts/SearchIndexerContract.ts"
export * from "./contracts/ServiceSteps.ts"
export {
  accept as acceptEvents,
  importHistory,
  indexedAtOnce,
  makeWorkspace,
  plainEvents,
  type StorageLayer,
  type StorageOptions,
  type StorageServices,
  sequenceAll,
  useCases
} from "./contracts/StorageSteps.ts"
export { treeStoreContract } from "./contracts/TreeStoreContract.ts"
export { unindexedContract } from "./contracts/UnindexedContract.ts"
export { verificationContract } from "./contracts/VerificationContract.ts"
export { wholeVerification } from "./contracts/WholeVerification.ts"
export { workspaceCollectionsContract } from "./contracts/WorkspaceCollectionContract.ts"
export { workspacesContract } from "./contracts/WorkspacesContract.ts"
export * from "./generators/EventGenerator.ts"
export * from "./generators/EvidenceBuilder.ts"
export * from "./generators/HostileEvents.ts"
export { HOSTILE_MARKUP } from "./generators/HostileMarkup.ts"
export { type Act, randomStory, type StoryOptions } from "./generators/InterleavedStory.ts"
export { type Attempt, type LogModel, makeLogModel, type Sender } from "./generators/LogModel.ts"
export * from "./generators/NaughtyText.ts"
export { NEEDLE, telling } from "./generators/RemovableEvent.ts"
export * from "./generators/SeededRandom.ts"
export { contentOf } from "./generators/StoredContent.ts"
export {
  type SentAnchor,
  type TestLog,
  type TestLogOptions,
  type TestRetention,
  testLog
} from "./generators/TestLog.ts"
export { testMember } from "./generators/TestMember.ts"
export { testWorkspace } from "./generators/TestWorkspace.ts"
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
export * from "./machines/CostOfLength.ts"
export * from "./machines/ManualClock.ts"
export { meteredValue } from "./machines/MeteredValue.ts"
export { type WorkPerTurn, workPerTurn } from "./machines/WorkPerTurn.ts"
export * as MemoryAnchors from "./memory/MemoryAnchors.ts"
export * as MemoryExportStore from "./memory/MemoryExportStore.ts"
export { countFacets } from "./memory/MemoryFacets.ts"
export * as MemoryStorage from "./memory/MemoryStorage.ts"
