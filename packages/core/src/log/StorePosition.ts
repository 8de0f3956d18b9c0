/**
 * A place in what a store has written: a read at it, or later, sees every commit that was confirmed
 * before somebody asked for it.
 */
import { Schema } from "effect"

/** A place in the history of a database. */
export const StorePosition = Schema.Struct({
  /** Which database: 16 lower-case hexadecimal characters. */
  system: Schema.String,
  /** Its history: a new one begins with every promotion. */
  timeline: Schema.Number,
  /** How far it is written, in bytes. */
  written: Schema.Number
})
export type StorePosition = typeof StorePosition.Type

/** Where a store is when it is asked. */
export interface ReachedPosition extends StorePosition {
  /**
   * When, in microseconds by the store's own clock, read before the position was: of two, the one with the
   * later time covers whatever was confirmed before the other was asked for.
   */
  readonly at: number
}

const TEXT = /^1-([0-9a-f]{16})-([0-9a-f]{8})-([0-9a-f]{14})$/

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0")

/** The position as text, in the same length whatever it is. */
export const formatPosition = ({ system, timeline, written }: StorePosition): string =>
  `1-${system}-${hex(timeline, 8)}-${hex(written, 14)}`

/** Reads such a text; undefined for any other. */
export const parsePosition = (text: string): StorePosition | undefined => {
  const [, system, timeline, written] = TEXT.exec(text) ?? []
  if (system === undefined || timeline === undefined || written === undefined) return undefined
  const position = {
    system,
    timeline: Number.parseInt(timeline, 16),
    written: Number.parseInt(written, 16)
  }
  return position.timeline > 0 && Number.isSafeInteger(position.written) ? position : undefined
}

/** The later of two positions; the other one where they are not of one history. */
export const laterPosition = (one: StorePosition, other: StorePosition): StorePosition =>
  one.system === other.system && one.timeline === other.timeline && one.written > other.written ? one : other
