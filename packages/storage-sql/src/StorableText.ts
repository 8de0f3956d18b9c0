/** Text that a database can be asked for. */

/**
 * Whether text may equal a stored one: nothing is stored with a U+0000, and PostgreSQL cannot even be asked
 * for it.
 */
export const isStorable = (text: string): boolean => !text.includes("\0")
