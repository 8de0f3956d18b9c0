/** Who reads a log, recorded in it. */
export { ACCESS_KINDS, AccessEvents, type AccessKind, type Reader, readerId } from "./AccessEvents.ts"
export { OwedEvents, type TooMuchOwed } from "./OwedEvents.ts"
