/** Reading and writing the parts of a frame: unsigned varints (LEB128) and runs of bytes. */

/** The blob is no frame. */
export class DamagedFrame extends Error {
  override readonly name = "DamagedFrame"
}

/** Reads bytes from their beginning on. Throws `DamagedFrame` where they are cut short. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Bytes that are left. */
  get left(): number {
    return this.#bytes.length - this.#at
  }

  varint(): number {
    let value = 0
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined || unit > Number.MAX_SAFE_INTEGER) throw new DamagedFrame("cut short")
      value += (byte & 0x7f) * unit
      if (byte < 0x80) return value
    }
  }

  /** A varint that counts things of which each takes a byte at least. */
  count(): number {
    const count = this.varint()
    if (count > this.left) throw new DamagedFrame(`${count} of something in ${this.left} bytes`)
    return count
  }

  /** The next bytes, which are not copied. */
  take(length: number): Uint8Array {
    if (length > this.left) throw new DamagedFrame("cut short")
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }
}

const encoder = new TextEncoder()

/** Most characters of a text that is short: calling the engine's encoder costs as much as some hundred. */
const SHORT_TEXT = 128

/** Collects bytes. */
export class ByteWriter {
  #bytes = new Uint8Array(4_096)
  #length = 0

  #grow(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const larger = new Uint8Array(2 * (this.#length + more))
    larger.set(this.#bytes)
    this.#bytes = larger
  }

  varint(value: number): this {
    this.#grow(8)
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#length++] = rest
    return this
  }

  bytes(bytes: Uint8Array): this {
    this.#grow(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
    return this
  }

  /** A text: the bytes of its UTF-8, after their number and one more. Most are short, and of ASCII. */
  text(text: string): this {
    const { length } = text
    const begin = this.#length
    if (length <= SHORT_TEXT) {
      this.varint(length + 1).#grow(length)
      let at = 0
      for (; at < length; at++) {
        const unit = text.charCodeAt(at)
        if (unit > 0x7f) break
        this.#bytes[this.#length++] = unit
      }
      if (at === length) return this
      this.#length = begin
    }
    const bytes = encoder.encode(text)
    return this.varint(bytes.length + 1).bytes(bytes)
  }

  /** Bytes that were written. */
  get length(): number {
    return this.#length
  }

  /** Begins again, over what was written. */
  clear(): void {
    this.#length = 0
  }

  /** What was written, not copied. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}
