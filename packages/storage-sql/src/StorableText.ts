/** Text that can be a parameter of a database. */

/**
 * Whether text may equal a stored one: no stored text has a U+0000, and PostgreSQL does not even accept one
 * as a parameter.
 */
export const isStorable = (text: string): boolean => !text.includes("\0")
