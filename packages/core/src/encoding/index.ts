/**
 * Encodings and plain values: canonical and strict JSON, base64, hexadecimal, gzip, CSV, times, and work in
 * turns.
 */
export { normalizeBounded } from "./BoundedNormalization.ts"
export { type CalendarMonth, monthEnd, monthOf, monthStart } from "./CalendarMonth.ts"
export { canonicalize, canonicalString, canonicalStringOrNull, NotCanonicalizable } from "./CanonicalJson.ts"
export { csvRecord, neutraliseCell, recoverCell } from "./Csv.ts"
export { DamagedGzip, gunzip, gzip } from "./Gzip.ts"
export { HexBytes } from "./HexBytes.ts"
export { readLarge } from "./LargeJson.ts"
export * as Micros from "./Micros.ts"
export { nearestName } from "./NearestName.ts"
export { type Network, parseNetwork } from "./Network.ts"
export { contentSize, finished, makePace, type Pace, piecesOf, type Steps, TURN_SIZE } from "./Pace.ts"
export { decodeBase64, encodeBase64 } from "./StrictBase64.ts"
export * as StrictJson from "./StrictJson.ts"
export { MalformedJson } from "./StrictJson.ts"
