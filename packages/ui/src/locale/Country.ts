/** Countries: their flags, and their names in the reader's language. */

/**
 * First of the regional indicator symbols, which stand for the letters A to Z (Unicode, "Regional Indicator
 * Symbol").
 */
const REGIONAL_A = 0x1f1e6

const isCode = (code: string): boolean => /^[A-Z]{2}$/.test(code)

/**
 * The flag of a two-letter country code; empty for anything else. Where a platform has no flags, the two
 * letters show.
 */
export const flagOf = (code: string): string =>
  isCode(code)
    ? String.fromCodePoint(...Array.from(code, (letter) => REGIONAL_A + letter.charCodeAt(0) - 65))
    : ""

/** The country's name; the code itself where there is none. */
export const countryName = (code: string, locale: string): string => {
  if (!isCode(code)) return code
  try {
    return new Intl.DisplayNames(locale, { type: "region" }).of(code) ?? code
  } catch {
    return code
  }
}
