/** Text made visible: characters that would hide or reorder text are shown by name and have no effect. */

/** A piece of a text: shown as it stands, or by its code point. */
interface Piece {
  readonly text: string
  /** Whether `text` is the name of a character, such as `U+202E`. */
  readonly named: boolean
}

/**
 * Controls but tab and line feed; marks, embeddings, overrides and isolates of direction (UAX #9); zero-width
 * characters but the joiners, which emoji and scripts need; line separators, tags, and what is no character.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0001}-\u{e007f}]/gu

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

/** The text, cut beyond `limit` characters, and never within one of them. */
export const shortened = (text: string, limit: number = Number.POSITIVE_INFINITY): string =>
  text.length > limit ? `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, "")}…` : text

/** The text in pieces, at most `limit` characters of it. */
export const visiblePieces = (text: string, limit?: number): ReadonlyArray<Piece> => {
  const shown = shortened(text, limit)
  const pieces: Array<Piece> = []
  let end = 0
  for (const match of shown.matchAll(HIDDEN)) {
    if (match.index > end) pieces.push({ text: shown.slice(end, match.index), named: false })
    pieces.push({ text: nameOf(match[0]), named: true })
    end = match.index + match[0].length
  }
  if (end < shown.length) pieces.push({ text: shown.slice(end), named: false })
  return pieces
}

/** The text in one piece, for attributes and labels. */
export const visibleText = (text: string, limit?: number): string =>
  visiblePieces(text, limit)
    .map((piece) => piece.text)
    .join("")
