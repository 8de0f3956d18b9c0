/** What is typed into the bar, read: a field with a text, or words to search for. */
import type { FieldName } from "./Fields.ts"

/** What is typed. */
export interface Entry {
  /** The field that the text is about; undefined while none is chosen. */
  readonly field: FieldName | undefined
  readonly text: string
}

/** Nothing. */
export const NOTHING: Entry = { field: undefined, text: "" }

/** A colon, of ASCII or as East Asian keyboards have it. */
const COLON = /[:：]/u

/**
 * A text such as `actor:ada` as a field and what is typed for it, where the word before the colon is one of
 * `fields`, by its own name or by the one that `names` has in the reader's language.
 */
export const entryOf = (
  text: string,
  fields: ReadonlyArray<FieldName>,
  names: Readonly<Record<FieldName, string>>
): Entry => {
  const at = text.search(COLON)
  const wanted = text.slice(0, Math.max(0, at)).trim().toLowerCase()
  const field = fields.find((name) => name === wanted || names[name].toLowerCase() === wanted)
  return field === undefined ? { field, text } : { field, text: text.slice(at + 1).trimStart() }
}

/** A phrase in quotation marks, to its end where none closes it, or a word. */
const TERM = /["“”„]([^"“”„]*)(?:["“”„]|$)|[^\s"“”„]+/gu

/** The words of a text, each once; what is in quotation marks stays one. */
export const termsOf = (text: string): ReadonlyArray<string> =>
  Array.from(
    new Set(
      Array.from(text.matchAll(TERM), ([word, phrase]) => (phrase ?? word).trim()).filter(
        (term) => term !== ""
      )
    )
  )
