/** Hashes of consecutive events, read without the events. */

/** A row of `sequence` and `event_hash`, of rows in the order of their sequences. */
export type HashRow = ReadonlyArray<unknown>

/** The hashes of consecutive rows from `from` on, up to the first gap. */
export const consecutiveHashes = (from: number, rows: ReadonlyArray<HashRow>): ReadonlyArray<string> => {
  const gap = rows.findIndex(([sequence], index) => Number(sequence) !== from + index)
  return (gap < 0 ? rows : rows.slice(0, gap)).map(([, hash]) => (typeof hash === "string" ? hash : ""))
}
