/**
 * What Cairn's packages are tested with: one contract suite for each port, the ports in memory, and generators of events.
 *
 * @packageDocumentation
 */
export { apiKeysContract } from "./ApiKeysContract.ts"
export * from "./EventGenerator.ts"
export { eventLogContract } from "./EventLogContract.ts"
export * from "./HostileEvents.ts"
export { inboxContract } from "./InboxContract.ts"
export * from "./ManualClock.ts"
export * as MemoryStorage from "./MemoryStorage.ts"
export * from "./NaughtyText.ts"
export * from "./SeededRandom.ts"
export { indexedAtOnce, type StorageLayer, type StorageOptions, type StorageServices } from "./StorageContract.ts"
export { treeStoreContract } from "./TreeStoreContract.ts"
export { workspacesContract } from "./WorkspacesContract.ts"
