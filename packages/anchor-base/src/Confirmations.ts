/** How deep a block must be before what it holds counts. */

/**
 * How deep a block must be for its anchors to be confirmed: as deep as the chain calls safe or finalized, or
 * that many blocks, its own among them.
 */
export type Confirmations = "finalized" | "safe" | number

/** Reads `finalized`, `safe` or a number of blocks from 1 on; undefined for anything else. */
export const confirmationsFrom = (text: string): Confirmations | undefined => {
  if (text === "finalized" || text === "safe") return text
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}
