/**
 * Ids of events. An id says whether the event counts against its month, by its version: that must still be
 * known when the content was removed and a store counts again.
 */
import { type RandomnessShape, uuid } from "../hashing/Randomness.ts"

/** Where a UUID has its version. */
const VERSION_AT = 14

/** The id of a new event: a UUID of version 4, or 8 for one that is not counted. */
export const newEventId = (random: RandomnessShape, isCounted: boolean): string =>
  uuid(random, isCounted ? 4 : 8)

/** Whether the event with this id counts against its month. */
export const isCountedId = (id: string): boolean => id.charAt(VERSION_AT) !== "8"
