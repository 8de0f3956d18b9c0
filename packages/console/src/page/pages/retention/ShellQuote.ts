/** Texts as arguments of a command that is copied into a shell. */

/** What a shell takes as it stands. */
const PLAIN = /^[A-Za-z0-9_@%+=:,./][A-Za-z0-9_@%+=:,./-]*$/

/** What cannot be seen, or turns what stands beside it: controls, formats, separators of lines. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u

const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  if (code >= 0x20 && code < 0x7f && character !== "'" && character !== "\\") return character
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, "0")}`
    : `\\u${code.toString(16).padStart(4, "0")}`
}

/**
 * One argument, whatever is in it. What cannot be seen, or would turn what stands beside it, is written by
 * its code point (`$'…'`, as bash and zsh read it), so that the command shows what it does.
 */
export const shellQuote = (text: string): string => {
  if (PLAIN.test(text)) return text
  if (UNSEEN.test(text)) return `$'${Array.from(text, escaped).join("")}'`
  return `'${text.replaceAll("'", "'\\''")}'`
}
