/** The order of occurrence: by when events occurred, and those of one moment by their sequences. */
import { Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"

/** The place of an event in the order of occurrence. */
export const Occurrence = Schema.Struct({
  /** When it occurred. */
  occurredAt: Schema.Number,
  sequence: Schema.Number
})
export type Occurrence = typeof Occurrence.Type

/** Orders places, the newest first. */
export const newestOccurrence = (one: Occurrence, other: Occurrence): number =>
  other.occurredAt - one.occurredAt || other.sequence - one.sequence

/** The bucket of a moment. */
export const occurrenceBucket = (occurredAt: Micros, bucket: Micros | null): number =>
  bucket === null ? 0 : Math.floor(occurredAt / bucket)
