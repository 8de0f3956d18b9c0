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
