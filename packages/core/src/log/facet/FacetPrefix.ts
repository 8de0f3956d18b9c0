/** Whether somebody who types the beginning of a value, or of its name, means it. */
import { fold } from "../../event/EventFilter.ts"

/** What a word is made of; a word begins where something else is before it. */
const WORD_CHARACTER = /[\p{L}\p{M}\p{N}]$/u

const isBeginningOfWord = (text: string, at: number): boolean =>
  at === 0 || !WORD_CHARACTER.test(text.slice(Math.max(0, at - 2), at))

/** Whether a folded text begins like a prefix, or one of its words does. */
const hasWord = (text: string, prefix: string): boolean => {
  for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + 1))
    if (isBeginningOfWord(text, at)) return true
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
