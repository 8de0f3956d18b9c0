/** Texts in commands that a person copies into a shell. */

const PLAIN = /^[A-Za-z0-9@%+=:,./_-]+$/

/** A text as one word of a shell's command line, quoted where it must be. */
export const shellWord = (text: string): string =>
  PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
