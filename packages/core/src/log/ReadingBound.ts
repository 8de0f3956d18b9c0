/**
 * How much of a log is read at once: so many events, and no more than so much of their contents, so that
 * memory and the turns of the event loop stay small where events are large.
 */
import { contentSize } from "../encoding/Pace.ts"

/** Characters of contents (on PostgreSQL bytes) with which `entries` and `scan` of the log are complete. */
export const ENOUGH_TO_READ = 2_097_152

/** The same of a page of a list. */
export const ENOUGH_TO_LIST = 8_388_608

/** A character takes at most so many bytes. */
const BYTES = 3

interface Sized {
  readonly content: string | null
}

/**
 * Whether there may be more after rows that were read with this limit: there were as many as were asked for,
 * or the reading may have ended because they are large. It surely is the end of what there is otherwise.
 */
export const mayGoOn = (rows: ReadonlyArray<Sized>, limit: number, enough = ENOUGH_TO_READ): boolean => {
  if (rows.length >= limit) return true
  let size = 0
  for (const row of rows) size += contentSize(row)
  return BYTES * size >= enough
}

/** The first rows, up to the one with which they have enough. Takes no more from where they come. */
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
