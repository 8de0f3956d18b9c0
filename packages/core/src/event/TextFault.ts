/** What is wrong with a text, in words that are true of it. */

/** How long a text may be, and whether it must say something. */
export interface TextBounds {
  /** Fewest characters. */
  readonly least: 0 | 1
  /** Most characters (Unicode code points, as `maxLength` of JSON Schema counts them). */
  readonly most: number
}

/**
 * Whether `text` has at most `limit` code points. They are counted only if the UTF-16 length does not decide
 * that.
 */
export const hasAtMost = (text: string, limit: number): boolean => {
  if (text.length <= limit) return true
  if (text.length > limit * 2) return false
  let points = 0
  for (const _ of text) points++
  return points <= limit
}

/** Why a text cannot be stored and shown; undefined if it can. One that must say something is not blank. */
export const textFault = (text: string, { least, most }: TextBounds): string | undefined => {
  if (text.length < least || !hasAtMost(text, most)) return `must have ${least} to ${most} characters`
  if (least > 0 && text.trim() === "") return "must not be only white space"
  if (!text.isWellFormed()) return "must be well-formed Unicode, without lone surrogates"
  return text.includes("\0") ? "must not contain U+0000" : undefined
}

/** Where a line ends (UAX #14, class BK, and the characters that it treats so). */
const LINE_END = /[\n\v\f\r\u0085\u2028\u2029]/

/** A text without any visible character; U+2800 is blank, although Unicode calls it a symbol. */
const UNSEEN = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u{2800}]+$/u

/** The same for the name of a thing, in lists and records: one line with at least one visible character. */
export const nameFault = (text: string, bounds: TextBounds): string | undefined => {
  const fault = textFault(text, bounds)
  if (fault !== undefined) return fault
  if (LINE_END.test(text)) return "must be one line"
  return UNSEEN.test(text) ? "must have a character that is seen" : undefined
}
