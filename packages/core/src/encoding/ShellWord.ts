/** Texts as words of a command that is copied into a shell: sh, bash or zsh. */

/** What a shell takes as it stands; zsh reads `=ls` as where `ls` is. */
const PLAIN = /^[A-Za-z0-9_@%+:,./][A-Za-z0-9_@%+=:,./-]*$/

/**
 * Characters that are invisible, or change the direction of text beside them: controls, formats, separators
 * of lines.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u

/** What has a meaning between `$'` and `'`, or before that: an interactive shell looks for `!` first. */
const SPECIAL = /['\\!]/

const encoder = new TextEncoder()

const escaped = (character: string): string =>
  UNSEEN.test(character) || SPECIAL.test(character)
    ? Array.from(encoder.encode(character), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")
    : character

/**
 * One word, whatever is in it. A character that is invisible, or would change the direction of text beside
 * it, is written as its bytes in UTF-8 (`$'…'`, as bash and zsh read it in every locale), so that the command
 * shows what it does.
 */
export const shellWord = (text: string): string => {
  if (PLAIN.test(text)) return text
  if (UNSEEN.test(text)) return `$'${Array.from(text, escaped).join("")}'`
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** An option with its value, in one word: a value that begins with `-` is no option. */
export const shellOption = (name: string, value: string): string => `--${name}=${shellWord(value)}`
