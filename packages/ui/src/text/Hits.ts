/** Where words that were searched for stand in a text. */

/** A piece of a text. */
interface Piece {
  readonly text: string
  /** Whether it is what was searched for. */
  readonly isHit: boolean
}

/** The text in pieces: what was searched for, in any letter case, and what stands between. */
export const hitsIn = (text: string, words: ReadonlyArray<string>): ReadonlyArray<Piece> => {
  // The longest first, of words that begin alike.
  const wanted = words
    .flatMap((word) => word.toLowerCase() || [])
    .toSorted((one, other) => other.length - one.length)
  const pieces: Array<Piece> = []
  let shown = 0
  for (let at = 0; wanted.length > 0 && at < text.length; ) {
    const { length } = wanted.find((word) => text.slice(at, at + word.length).toLowerCase() === word) ?? ""
    if (length > 0) {
      if (at > shown) pieces.push({ text: text.slice(shown, at), isHit: false })
      pieces.push({ text: text.slice(at, at + length), isHit: true })
      shown = at + length
    }
    at += Math.max(1, length)
  }
  if (shown < text.length || text === "") pieces.push({ text: text.slice(shown), isHit: false })
  return pieces
}
