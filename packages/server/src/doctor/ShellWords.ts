/** Paths in commands that somebody copies into a shell. */

/** A word as a POSIX shell takes it for one, in quotes only where it needs them. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`
