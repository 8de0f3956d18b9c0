/** Whether somebody who types the beginning of a value, or of its name, means it. */
import { fold } from "../../event/EventFilter.ts"

/** What words are made of; a word begins where something else is before it. */
const WORD_END = /[\p{L}\p{M}\p{N}]$/u
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]/u

const isBeginningOfWord = (text: string, at: number): boolean =>
  at === 0 || !WORD_END.test(text.slice(Math.max(0, at - 2), at))

/** Where the word ends that a place is in, with what ends it; undefined if it is the last one. */
const nextWord = (text: string, at: number): number | undefined => {
  const between = BETWEEN_WORDS.exec(text.slice(at))
  return between === null ? undefined : at + between.index + between[0].length
}

/** Whether a folded text begins like a prefix, or one of its words does. Looks once into each word. */
const hasWord = (text: string, prefix: string): boolean => {
  for (let from: number | undefined = 0; from !== undefined; ) {
    const at = text.indexOf(prefix, from)
    if (at < 0 || isBeginningOfWord(text, at)) return at >= 0
    from = nextWord(text, at)
  }
  return false
}

/**
 * Makes what tells whether a value begins like a prefix, or its label does, or a word of its label, in any
 * letter case.
 */
export const facetPrefix = (prefix: string): ((value: string, label: string | null) => boolean) => {
  const folded = fold(prefix)
  if (folded === "") return () => true
  return (value, label) => fold(value).startsWith(folded) || (label !== null && hasWord(fold(label), folded))
}

/** Tells it of texts in UTF-8, which are from one place of some bytes to another. */
export interface BytesPrefix {
  readonly isValue: (bytes: Uint8Array, begin: number, end: number) => boolean
  readonly isLabel: (bytes: Uint8Array, begin: number, end: number) => boolean
}

const encoder = new TextEncoder()
/** Keeps a byte order mark at the beginning of a value, which is a part of it. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

const isAscii = (bytes: Uint8Array, begin: number, end: number): boolean => {
  for (let at = begin; at < end; at++) if ((bytes[at] ?? 0) >= 0x80) return false
  return true
}

/** The lower case of a character of ASCII. */
const lower = (byte: number): number => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte)

const isWordByte = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || (lower(byte) >= 0x61 && lower(byte) <= 0x7a)

/** Whether a text of ASCII has a folded prefix at a place. */
const hasAt = (bytes: Uint8Array, at: number, end: number, wanted: Uint8Array): boolean => {
  if (end - at < wanted.length) return false
  for (let index = 0; index < wanted.length; index++)
    if (lower(bytes[at + index] ?? 0) !== wanted[index]) return false
  return true
}

/** For each place of a text, how many bytes before and with it are also its beginning. */
const bordersOf = (wanted: Uint8Array): Uint16Array => {
  const borders = new Uint16Array(wanted.length)
  for (let at = 1, border = 0; at < wanted.length; at++) {
    while (border > 0 && wanted[at] !== wanted[border]) border = borders[border - 1] ?? 0
    if (wanted[at] === wanted[border]) border++
    borders[at] = border
  }
  return borders
}

/** The same as {@link facetPrefix} without making a text of bytes that are ASCII, as nearly all are. */
export const bytesPrefix = (prefix: string): BytesPrefix => {
  const folded = fold(prefix)
  if (folded === "") return { isValue: () => true, isLabel: () => true }
  const wanted = encoder.encode(folded)
  const borders = bordersOf(wanted)
  const textOf = (bytes: Uint8Array, begin: number, end: number): string =>
    fold(decoder.decode(bytes.subarray(begin, end)))
  return {
    isValue: (bytes, begin, end) =>
      isAscii(bytes, begin, end)
        ? hasAt(bytes, begin, end, wanted)
        : textOf(bytes, begin, end).startsWith(folded),
    isLabel: (bytes, begin, end) => {
      if (!isAscii(bytes, begin, end)) return hasWord(textOf(bytes, begin, end), folded)
      // One pass, whatever is repeated (Knuth, Morris and Pratt, 1977).
      for (let at = begin, found = 0; at < end; at++) {
        const byte = lower(bytes[at] ?? 0)
        while (found > 0 && byte !== wanted[found]) found = borders[found - 1] ?? 0
        if (byte === wanted[found]) found++
        if (found < wanted.length) continue
        const start = at + 1 - wanted.length
        if (start === begin || !isWordByte(bytes[start - 1] ?? 0)) return true
        found = borders[found - 1] ?? 0
      }
      return false
    }
  }
}
