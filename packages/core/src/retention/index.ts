/** Retention, erasure and archive: how contents leave the log. */
export { Archive } from "./Archive.ts"
export { ArchiveStore } from "./ArchiveStore.ts"
export { ContentRemoval, MAX_REMOVAL, type RemovedEvent } from "./ContentRemoval.ts"
export { Erasure, NothingToErase } from "./Erasure.ts"
export { removable } from "./RemovableEvents.ts"
export { isKept, MAX_KEPT } from "./RemovalEvent.ts"
export { RETENTION_CONSUMER, Retention } from "./Retention.ts"
export { RetentionNotices } from "./RetentionNotices.ts"
