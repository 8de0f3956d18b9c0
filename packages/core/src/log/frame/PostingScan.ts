/** Reading a blob of postings from its beginning to its end, without an object for each value. */
import { DamagedFrame } from "./ByteReader.ts"
import { slotsOf, tagAt } from "./Postings.ts"

/** The value that a scan is at. */
export class PostingScan {
  readonly blob: Uint8Array
  readonly #slots: ReturnType<typeof slotsOf>
  #slot = -1
  #at: number
  /** The upper 16 bits of the value's hash. */
  tag = -1
  /** Where its bytes are in the blob. */
  valueBegin = 0
  valueEnd = 0
  /** How many events have it. */
  count = 0
  /** Where the list of them is. */
  listBegin = 0
  listEnd = 0

  constructor(blob: Uint8Array) {
    this.blob = blob
    this.#slots = slotsOf(blob)
    this.#at = this.#slots.begin
  }

  /** How many values there are. */
  get size(): number {
    return this.#slots.count
  }

  /** Goes to the next value; returns whether there is one. Throws `DamagedFrame`. */
  next(): boolean {
    this.#slot++
    if (this.#slot >= this.#slots.count) {
      if (this.#at !== this.blob.length)
        throw new DamagedFrame(`${this.blob.length - this.#at} bytes too many`)
      return false
    }
    this.tag = tagAt(this.#slots.view, this.#slot)
    const bytes = this.#varint()
    this.valueBegin = this.#skip(bytes)
    this.valueEnd = this.#at
    this.count = this.#varint()
    const length = this.#varint()
    this.listBegin = this.#skip(length)
    this.listEnd = this.#at
    if (this.count > length) throw new DamagedFrame(`${this.count} places in ${length} bytes`)
    return true
  }

  #varint(): number {
    let value = 0
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.blob[this.#at++]
      if (byte === undefined || unit > Number.MAX_SAFE_INTEGER) throw new DamagedFrame("cut short")
      value += (byte & 0x7f) * unit
      if (byte < 0x80) return value
    }
  }

  #skip(length: number): number {
    const begin = this.#at
    this.#at += length
    if (this.#at > this.blob.length) throw new DamagedFrame("cut short")
    return begin
  }
}
