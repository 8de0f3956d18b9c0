/**
 * Encodings and plain values: canonical and strict JSON, base64, hexadecimal, gzip, CSV, times, and work in
 * turns.
 */
export { NETWORK_FORM } from "./AddressForm.ts"
export { BoundedMap } from "./BoundedMap.ts"
export { type CalendarMonth, monthOf } from "./CalendarMonth.ts"
export { canonicalize, canonicalString, NotCanonicalizable } from "./CanonicalJson.ts"
export { recoverCell } from "./Csv.ts"
export * as FieldSchemas from "./FieldSchemas.ts"
export { DamagedGzip, gunzip } from "./Gzip.ts"
export * as Micros from "./Micros.ts"
export { nearestName } from "./NearestName.ts"
export { type Network, parseNetwork } from "./Network.ts"
export { contentSize, makePace, type Steps, TURN_SIZE } from "./Pace.ts"
export { shellOption, shellWord } from "./ShellWord.ts"
export { encodeBase64 } from "./StrictBase64.ts"
export * as StrictJson from "./StrictJson.ts"
export { MalformedJson } from "./StrictJson.ts"
export { TIME_FORM } from "./TimeForm.ts"
