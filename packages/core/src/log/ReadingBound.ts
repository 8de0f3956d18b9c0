/**
 * How much of a log is read at once. Both the number of events and the size of their contents are limited, so
 * that memory use and turns of the event loop stay small if events are large.
 */
import { contentSize } from "../encoding/Pace.ts"

/** `entries` and `scan` of the log end once contents have this many characters (on PostgreSQL, bytes). */
export const ENOUGH_TO_READ = 2_097_152

/** The same for a page of a list. */
export const ENOUGH_TO_LIST = 8_388_608

/** The most bytes that a character takes. */
const BYTES = 3

interface Sized {
  readonly content: string | null
}

/**
 * Whether there may be more after rows that were read with this limit: the limit was reached, or the read may
 * have ended because the rows are large. Otherwise the rows are certainly the last.
 */
export const mayGoOn = (rows: ReadonlyArray<Sized>, limit: number, enough = ENOUGH_TO_READ): boolean => {
  if (rows.length >= limit) return true
  let size = 0
  for (const row of rows) size += contentSize(row)
  return BYTES * size >= enough
}

/** The first rows, up to the one that reaches the limit. Nothing more is read from the source. */
export const upToEnough = <A>(rows: Iterable<A>, sizeOf: (row: A) => number, enough: number): Array<A> => {
  const taken: Array<A> = []
  let size = 0
  for (const row of rows) {
    taken.push(row)
    size += sizeOf(row)
    if (size >= enough) break
  }
  return taken
}
