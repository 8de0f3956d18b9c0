/**
 * Unicode normalization in time linear in the length of a text.
 *
 * A normalizer sorts the combining marks after a letter with an insertion sort: a letter with 32,000 marks
 * takes seconds. This function splits a text where more than {@link MOST_MARKS} marks follow one another, as
 * the Stream-Safe Text Format of Unicode (UAX #15) does, and normalizes each part by itself. No writing
 * system uses that many marks, so ordinary text is normalized as usual.
 */

/** The most combining marks that are normalized together. */
export const MOST_MARKS = 30

/**
 * Matches a run of the most marks allowed when yet another mark follows. It includes characters that Unicode
 * does not call marks but that join the character before them: the vowel signs of Kirat Rai and the sound
 * marks of half-width katakana.
 */
const LONG_RUN = /[\p{M}\u{16d67}\u{16d68}\uff9e\uff9f]{30}(?=[\p{M}\u{16d67}\u{16d68}\uff9e\uff9f])/gu

/** A text in a normalization form. The result is the same on every platform and version. */
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
