/** One event: its input, validation, envelope, content, hash, filter and formats. */
export { isAccessAction } from "./AccessAction.ts"
export { isCanonicalContent } from "./CanonicalContent.ts"
export { type ContentParts, contentParts, contentText, systemContent } from "./ContentWriter.ts"
export { Event } from "./Event.ts"
export { EventContent, parseContent, toEvent } from "./EventContent.ts"
export { decodeEvent, decodeOwnEvent, refuseAltered, type UnknownMembers } from "./EventDecoding.ts"
export {
  CONDITION_NAMES,
  CONDITIONS,
  COUNTRY_FORM,
  type ConditionName,
  conditionsOf,
  EventFilter,
  fold,
  MAX_CONDITION_VALUES,
  matches,
  OneOrSeveral,
  type SearchField,
  searchesOf,
  searchFields,
  searchTexts,
  valuesOf
} from "./EventFilter.ts"
export { contentHash, eventHash } from "./EventHash.ts"
export {
  BatchInput,
  EventInput,
  MAX_BATCH,
  MAX_EVENT_BYTES,
  MAX_IDENTIFIER,
  MAX_METADATA_BYTES,
  MAX_METADATA_DEPTH,
  MAX_NAME,
  MAX_TARGETS
} from "./EventInput.ts"
export { EVENT_TIMES, EventTime, occurrenceIn, occurrenceOf } from "./EventTime.ts"
export { EVENT_FORMATS, EventFormatName } from "./formats/FormatTable.ts"
export { GeoIp, nowhere, type Place } from "./GeoIp.ts"
export { type Fault, InvalidInput, unlessInvalid } from "./InvalidInput.ts"
export { decodeStrictly, unknownName } from "./KnownMembers.ts"
export { hasAtMost, nameFault } from "./TextFault.ts"
export { matchesText } from "./TextMatch.ts"
export { formedText, nameText } from "./TextSchema.ts"
export type { ValidEvent } from "./ValidEvent.ts"
export { isInScope, scopedFilter, ViewerScope } from "./ViewerScope.ts"
