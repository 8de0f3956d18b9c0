/** The log: its ports, and what accepts, sequences, chains, reads, counts and searches. */
export { Acceptance } from "./Acceptance.ts"
export {
  type AcceptContext,
  type AcceptedBatch,
  type AcceptedEvent,
  type BatchOutcome,
  BatchRefused
} from "./AcceptRequests.ts"
export {
  CLOCK_SLACK,
  ClockAhead,
  ClockGuard,
  ClockReading,
  MAX_AHEAD_SECONDS,
  readClocks
} from "./ClockGuard.ts"
export {
  type AcceptedLosses,
  Continuity,
  describeLoss,
  Loss,
  makeNotBehind,
  StoreBehind
} from "./Continuity.ts"
export * as Cursor from "./Cursor.ts"
export { EventCounts } from "./EventCounts.ts"
export { EventHistogram, Histogram, HistogramRequest } from "./EventHistogram.ts"
export { isCountedId } from "./EventId.ts"
export {
  type Append,
  type Appended,
  type AppendRequest,
  ChainStarted,
  ENOUGH_TO_APPEND,
  EventLog,
  type EventLogShape,
  FIRST_LEGACY_SEQUENCE,
  type Head,
  type LegacySummary,
  type LogEntry,
  MOST_WORKSPACES,
  type OccurrenceCounts,
  type OccurrenceFacets,
  type OccurrenceRequest,
  type PageRequest,
  type SequenceRange
} from "./EventLog.ts"
export { CountRequest, EventReader, ListRequest } from "./EventReader.ts"
export { EventFacets } from "./facet/EventFacets.ts"
export { facetPartOf } from "./facet/FacetOfColumns.ts"
export { type FacetPart, facetKind, facetPart, type NumberedBlob, sizeOfPart } from "./facet/FacetPart.ts"
export { facetPrefix } from "./facet/FacetPrefix.ts"
export {
  FACET_EVENTS,
  FACET_FIELDS,
  FACET_VALUES,
  FacetField,
  FacetMillis,
  type FacetQuery,
  Facets,
  FacetsFound,
  FacetsRequest,
  FacetValue
} from "./facet/Facets.ts"
export { FacetTally } from "./facet/FacetTally.ts"
export {
  type ColumnsEntry,
  columnsEntries,
  decodeColumns,
  encodeColumns,
  FRAME_EVENTS,
  type FrameColumns,
  selectInFrame
} from "./frame/FrameColumns.ts"
export { columnsOfText, type FrameEvent, frameEvent } from "./frame/FrameEvent.ts"
export { type ColumnFilter, columnFilter } from "./frame/FrameFilter.ts"
export {
  decodeOrder,
  encodeOrder,
  type OccurrenceOrder,
  occurrenceOrder,
  withoutSequences
} from "./frame/FrameOccurrences.ts"
export { gramSignature, mayHold, NO_GRAMS, wholeSignature } from "./frame/FrameSignature.ts"
export {
  decodeTexts,
  encodeTexts,
  type FrameTexts,
  findInTexts,
  type IndexOf,
  type TextEntry,
  textEntries
} from "./frame/FrameTexts.ts"
export {
  framesOf,
  GROUP_FRAMES,
  GROUP_PARTS,
  groupParts,
  PART_BYTES,
  partsOf,
  setFrame,
  wholePart
} from "./frame/GramParts.ts"
export { groupPostings, kindPostings, type PlacedColumns } from "./frame/GroupPostings.ts"
export {
  blobsOf,
  findPlaces,
  intersection,
  kindNumbers,
  POSTING_NUMBERS,
  type RequiredValue,
  union,
  valuesAt,
  withoutPlaces
} from "./frame/Postings.ts"
export { type SearchTerm, searchTerm } from "./frame/SearchTerm.ts"
export { type ChainContext, extendChain, extendHistory } from "./HashChain.ts"
export { HashedEvents } from "./HashedEvents.ts"
export {
  type Accept,
  type AcceptExit,
  type AcceptFailure,
  type AcceptOutcome,
  type AcceptRequest,
  acceptingBy,
  type CountedOutcome,
  EventUsage,
  Inbox,
  InboxFull,
  type InboxRow,
  LogClosed,
  type PendingEvent,
  QuotaReached,
  type WaitingEvent
} from "./Inbox.ts"
export { InboxSignal } from "./InboxSignal.ts"
export { CHAIN_STARTED, legacyEventId } from "./LegacyHistory.ts"
export { withTotal } from "./ListTotal.ts"
export { type LiveCount, LiveCounts, RangeCountRequest, RangeCounts } from "./LiveCounts.ts"
export { makeAgeMeter } from "./metric/AgeMeter.ts"
export { LOG_METRICS } from "./metric/Families.ts"
export { LagMeter } from "./metric/LagMeter.ts"
export {
  MeterSet,
  Meters,
  type MetricCounter,
  type MetricFamily,
  type MetricHistogram,
  type MetricLabels,
  type MetricSample,
  type MetricState
} from "./metric/Meters.ts"
export { newestOccurrence, Occurrence, occurrenceBucket } from "./Occurrence.ts"
export { DEFAULT_LIMIT, EventPage, EventPagination, MAX_LIMIT, Page } from "./Page.ts"
export { ENOUGH_TO_LIST, ENOUGH_TO_READ, mayGoOn, upToEnough } from "./ReadingBound.ts"
export {
  EVENT_ERASED,
  RETENTION_APPLIED,
  RETENTION_PREFIX,
  type Removal,
  type RetentionInterval,
  removalOf
} from "./Removal.ts"
export { LATELY_SECONDS, type Needed, Replicas, type ReplicasShape } from "./Replicas.ts"
export { makeRoundIncident } from "./RoundIncident.ts"
export { ENOUGH_TO_INDEX, SearchIndexer } from "./SearchIndexer.ts"
export { Sequencer } from "./Sequencer.ts"
export { StorageUnavailable } from "./StorageUnavailable.ts"
export { storeCause, storeErrorText } from "./StoreCause.ts"
export { StoreClock } from "./StoreClock.ts"
export {
  formatPosition,
  laterPosition,
  parsePosition,
  type ReachedPosition,
  StorePosition
} from "./StorePosition.ts"
export { StoreWait } from "./StoreWait.ts"
export { STRAY_KEYS_A_LOOK, type StrayKeyPage, StrayKeys } from "./StrayKeys.ts"
export { AcceptedTraces } from "./trace/EventTraces.ts"
export {
  beginSpan,
  endSpan,
  Tracing,
  type TracingShape,
  traceparentOf
} from "./trace/Tracing.ts"
export { Workspace, Workspaces } from "./Workspace.ts"
