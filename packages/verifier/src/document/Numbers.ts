/** Numbers and texts of a report, as people read them. */

/** A count: `1,234`. */
export const sayCount = (count: number): string => count.toLocaleString("en")

/** A count with its noun: `1 event`, `2 events`. */
export const sayMany = (count: number, one: string, many = `${one}s`): string =>
  `${sayCount(count)} ${count === 1 ? one : many}`

/** A size: `1,234 bytes`. */
export const sayBytes = (bytes: number): string => sayMany(bytes, "byte")

/** A digest in groups of eight, for the eye. */
export const inGroups = (hex: string): string => hex.match(/.{1,8}/g)?.join(" ") ?? ""
