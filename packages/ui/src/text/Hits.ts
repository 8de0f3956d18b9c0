/** Where words that were searched for stand in a text. */

/** A piece of a text. */
interface Piece {
  readonly text: string
  /** Whether it is what was searched for. */
  readonly isHit: boolean
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")

/** The text in pieces: what was searched for, in any letter case, and what stands between. */
export const hitsIn = (text: string, words: ReadonlyArray<string>): ReadonlyArray<Piece> => {
  // The longest first, of words that begin alike.
  const wanted = words.filter((word) => word !== "").toSorted((one, other) => other.length - one.length)
  if (wanted.length === 0) return [{ text, isHit: false }]
  // What was captured stands at the odd places.
  return text
    .split(new RegExp(`(${wanted.map(escaped).join("|")})`, "iu"))
    .map((piece, index) => ({ text: piece, isHit: index % 2 === 1 }))
    .filter((piece) => piece.text !== "")
}
