/**
 * Text from outside as a page shows it: unable to hide or reorder what stands beside it. The viewer shows
 * events in the same way.
 */
import { type Html, html } from "./Html.ts"

/** Longest text that is shown whole, in characters: an address has at most 254. */
const LONGEST = 256

/**
 * Controls; marks, embeddings, overrides and isolates of direction (UAX #9); zero-width characters but the
 * joiners, which emoji and scripts need; line separators, tags, and what is no character.
 */
const HIDDEN =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0001}-\u{e007f}]/gu

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

const shorten = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, "")}…` : text

/** The text as markup: a character that would not be seen, or would reorder others, is shown by its name. */
export const shown = (text: string): Html => {
  const short = shorten(text)
  const pieces: Array<Html> = []
  let end = 0
  for (const { 0: character, index } of short.matchAll(HIDDEN)) {
    pieces.push(html`${short.slice(end, index)}<span class="named">${nameOf(character)}</span>`)
    end = index + character.length
  }
  return html`<bdi>${pieces}${short.slice(end)}</bdi>`
}

/** The same for attributes. */
export const shownPlain = (text: string): string => shorten(text).replace(HIDDEN, nameOf)
