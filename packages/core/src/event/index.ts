/** One event: its input, validation, envelope, content, hash, filter and formats. */
export { actionGlob } from "./ActionGlob.ts"
export { isCanonicalContent } from "./CanonicalContent.ts"
export { type ContentFields, contentFields } from "./ContentFields.ts"
export { type ContentParts, contentParts, contentText, systemContent } from "./ContentWriter.ts"
export { Event } from "./Event.ts"
export { EventContent, type EventFrame, isContent, parseContent, toEvent } from "./EventContent.ts"
export {
  copyOfEvent,
  decodeEvent,
  decodeOwnEvent,
  decodingEvent,
  INPUT_NAMES,
  refuseInexact
} from "./EventDecoding.ts"
export { actionPattern, EventFilter, fold, matches, prefixEnd, searchTexts } from "./EventFilter.ts"
export { contentHash, eventHash, headerText, SALT_BYTES } from "./EventHash.ts"
export {
  BatchInput,
  describeIssue,
  EventInput,
  InvalidInput,
  jsonPath,
  MAX_BATCH,
  MAX_EVENT_BYTES,
  MAX_IDENTIFIER,
  MAX_METADATA_BYTES,
  MAX_METADATA_DEPTH,
  MAX_NAME,
  MAX_TARGETS,
  RESERVED_ACTIONS
} from "./EventInput.ts"
export { type FilterColumns, filterColumns, sameColumns, withColumns } from "./FilterColumns.ts"
export { holdsColumns } from "./FilterColumnsCheck.ts"
export { EVENT_FORMATS, EventFormatName } from "./formats/FormatTable.ts"
export { GeoIp, nowhere, type Place } from "./GeoIp.ts"
export { decodeStrictly, knownMembers, unknownName } from "./KnownMembers.ts"
export type { ValidEvent } from "./ValidEvent.ts"
export { isInScope, scopedFilter, ViewerScope } from "./ViewerScope.ts"
