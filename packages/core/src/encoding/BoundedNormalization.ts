/**
 * Unicode normalization whose cost grows with the length of a text and no faster.
 *
 * A normalizer sorts the combining marks behind a letter, and by insertion: a letter with 32,000 marks takes
 * seconds. Here a text is taken apart where more than {@link MOST_MARKS} follow one another, as the
 * Stream-Safe Text Format of Unicode (UAX #15) does, and each part is normalized by itself. No writing has as
 * many, so other text comes out as it would without.
 */

/** Combining marks that are normalized together. */
export const MOST_MARKS = 30

/**
 * Runs of the most marks that another one follows. Beside what Unicode calls marks it knows characters that
 * join the one before them: the vowel signs of Kirat Rai, and the sound marks of half-width katakana.
 */
const LONG_RUN = /[\p{M}\u{16d67}\u{16d68}\uff9e\uff9f]{30}(?=[\p{M}\u{16d67}\u{16d68}\uff9e\uff9f])/gu

/** A text in a normalization form, the same wherever and whenever it is made. */
export const normalizeBounded = (text: string, form: "NFC" | "NFKC"): string => {
  let done = ""
  let from = 0
  for (const run of text.matchAll(LONG_RUN)) {
    const end = run.index + run[0].length
    done += text.slice(from, end).normalize(form)
    from = end
  }
  return from === 0 ? text.normalize(form) : done + text.slice(from).normalize(form)
}
