/** What is wrong with a text, in words that are true of it. */

/** How long a text may be, and whether it must say something. */
export interface TextBounds {
  /** Fewest characters. */
  readonly least: 0 | 1
  /** Most characters, as JavaScript counts them. */
  readonly most: number
}

/** Why a text cannot be stored and shown; undefined if it can. One that must say something is not blank. */
export const textFault = (text: string, { least, most }: TextBounds): string | undefined => {
  if (text.length < least || text.length > most) return `must have ${least} to ${most} characters`
  if (least > 0 && text.trim() === "") return "must not be only white space"
  if (!text.isWellFormed()) return "must be well-formed Unicode, without lone surrogates"
  return text.includes("\0") ? "must not contain U+0000" : undefined
}
