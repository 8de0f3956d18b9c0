/**
 * Which mail addresses are one: those that differ in the case of ASCII letters at most.
 *
 * Other letters are compared as they are. Unicode's case mapping makes different addresses alike (the Kelvin
 * sign becomes a k), and who controls one of them must not be taken for the owner of the other.
 */

/** The form by which addresses are compared and looked up. */
export const addressKey = (address: string): string =>
  address.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
