/** Which rows of a long list are in sight, so that only those are in the document. */

/**
 * Browsers make nothing taller than some 17 million pixels: Firefox draws the line at 17,895,697, others
 * later.
 */
export const MAX_HEIGHT = 12_000_000

/** Rows drawn beyond each edge, so that a scroll finds them there. */
const MARGIN = 6

/** What the window depends on; lengths in CSS pixels. */
interface WindowInput {
  readonly rows: number
  readonly rowHeight: number
  /** How far the list's top is above the viewport's; negative while it is below. */
  readonly offset: number
  readonly viewport: number
}

/** The rows in sight and where they stand. */
export interface VirtualWindow {
  /** Index of the first row, and of the one after the last. */
  readonly first: number
  readonly end: number
  /** Height of the list; at most {@link MAX_HEIGHT}. */
  readonly height: number
  /** Where a row stands, from the list's top. */
  readonly topOf: (row: number) => number
  /** The offset at which a row is the first in sight. */
  readonly offsetOf: (row: number) => number
}

/**
 * Rows that would be taller than {@link MAX_HEIGHT} together are scrolled faster than the bar moves: the rows
 * in sight stand at the offset, the others are nowhere.
 */
export const virtualWindow = ({ rows, rowHeight, offset, viewport }: WindowInput): VirtualWindow => {
  const natural = rows * rowHeight
  const height = Math.min(natural, MAX_HEIGHT)
  const top = Math.max(0, Math.min(offset, height - viewport))
  // How far a pixel of the bar moves the rows.
  const scale = height > viewport && natural > height ? (natural - viewport) / (height - viewport) : 1
  const position = top * scale
  const inSight = Math.floor(position / rowHeight)
  const first = Math.max(0, inSight - MARGIN)
  const end = Math.min(rows, Math.ceil((position + viewport) / rowHeight) + MARGIN)
  return {
    first,
    end,
    height,
    topOf: (row) => row * rowHeight - position + top,
    offsetOf: (row) => Math.min((row * rowHeight) / scale, Math.max(0, height - viewport))
  }
}
