/** Text that can be a parameter of a database. */

/**
 * Whether text may equal a stored one: no stored text has a U+0000, and PostgreSQL does not even accept one
 * as a parameter.
 */
export const isStorable = (text: string): boolean => !text.includes("\0")

/**
 * Whether a database keeps a text as it is: it has neither a U+0000 nor half of a surrogate pair, which UTF-8
 * cannot express and drivers replace by another character. So two texts that differ stay different.
 */
export const isKept = (text: string): boolean => isStorable(text) && text.isWellFormed()
