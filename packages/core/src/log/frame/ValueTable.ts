/** Different values, by their bytes. */

/** Parts a value from what says more of it. No UTF-8 text has this byte. */
export const PART_END = 0xff

/** Stands for a part that is none, before one that is some. No UTF-8 text has this byte either. */
export const NO_PART = 0xfe

/**
 * FNV-1a up to {@link PART_END}, so that what begins with the same part is found together; mixed once more,
 * so that all its bits may be used.
 */
export const hashOfBytes = (bytes: Uint8Array): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === PART_END) break
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** Whether two runs of bytes are the same. */
export const sameBytes = (one: Uint8Array, other: Uint8Array): boolean => {
  if (one.length !== other.length) return false
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false
  return true
}

/** Orders runs of bytes as a dictionary does. */
export const compareBytes = (one: Uint8Array, other: Uint8Array): number => {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

/** Gives each byte a character of its own. */
export const bytewise = new TextDecoder("latin1")

/**
 * Different values, numbered from 0 in the order in which they come. Of those with the same hash, the first
 * is found by it, and the others by the engine's own, for which nobody can choose values that collide.
 */
export class ValueTable {
  readonly values: Array<Uint8Array> = []
  readonly hashes: Array<number> = []
  readonly #firsts = new Map<number, number>()
  readonly #others = new Map<string, number>()

  /** The value's number. */
  number(value: Uint8Array): number {
    const hash = hashOfBytes(value)
    const first = this.#firsts.get(hash)
    if (first === undefined) {
      const number = this.#add(value, hash)
      this.#firsts.set(hash, number)
      return number
    }
    if (sameBytes(this.values[first] ?? value, value)) return first
    const key = bytewise.decode(value)
    const known = this.#others.get(key)
    if (known !== undefined) return known
    const number = this.#add(value, hash)
    this.#others.set(key, number)
    return number
  }

  #add(value: Uint8Array, hash: number): number {
    this.hashes.push(hash)
    return this.values.push(value) - 1
  }
}
