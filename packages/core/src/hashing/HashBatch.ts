/** SHA-256 of many messages, collected piece by piece and hashed in parallel where the platform can. */

import type { Sha256Shape } from "./Sha256.ts"
import { HASH_BYTES } from "./Sha256.ts"

/** Characters of a short text. */
const SHORT = 64
const BEYOND_ASCII = 0x80
/** The most bytes that a UTF-16 code unit takes in UTF-8. */
const MOST_UTF8 = 3

const utf8 = new TextEncoder()

/** Collects messages until they are hashed, in one buffer as large as all of them together. */
export class HashBatch {
  readonly #sha256: Sha256Shape
  #bytes = new Uint8Array(65_536)
  #length = 0
  #longest = 0
  /** Where each message ends. */
  #ends: Array<number> = []

  constructor(sha256: Sha256Shape) {
    this.#sha256 = sha256
  }

  /** Bytes of all messages. */
  get length(): number {
    return this.#length
  }

  /** Appends bytes to the current message. */
  bytes(piece: Uint8Array): void {
    this.#reserve(piece.length)
    this.#bytes.set(piece, this.#length)
    this.#length += piece.length
  }

  /** Appends a text as UTF-8. */
  text(piece: string): void {
    this.#reserve(piece.length * MOST_UTF8)
    if (piece.length <= SHORT && this.#shortAscii(piece)) return
    this.#length += utf8.encodeInto(piece, this.#bytes.subarray(this.#length)).written
  }

  /** Ends the current message. */
  end(): void {
    this.#longest = Math.max(this.#longest, this.#length - (this.#ends.at(-1) ?? 0))
    this.#ends.push(this.#length)
  }

  /** The hashes of all messages, one after the other, in order. The batch is empty afterwards. */
  hash(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#length)
    const ends = this.#ends
    const { lanes } = this.#sha256
    const hashes =
      lanes !== undefined && this.#longest <= lanes.longest
        ? lanes.messages(bytes, ends)
        : this.#oneByOne(bytes, ends)
    this.#length = 0
    this.#longest = 0
    this.#ends = []
    return hashes
  }

  #oneByOne(bytes: Uint8Array, ends: ReadonlyArray<number>): Uint8Array {
    const hashes = new Uint8Array(ends.length * HASH_BYTES)
    for (const [index, end] of ends.entries()) {
      hashes.set(this.#sha256.bytes(bytes.subarray(ends[index - 1] ?? 0, end)), index * HASH_BYTES)
    }
    return hashes
  }

  /**
   * Writes a short text if it is ASCII, and returns whether it is. A call to the platform would take longer.
   */
  #shortAscii(piece: string): boolean {
    const begin = this.#length
    let all = 0
    for (let index = 0; index < piece.length; index++) {
      const code = piece.charCodeAt(index)
      all |= code
      this.#bytes[begin + index] = code
    }
    const ascii = all < BEYOND_ASCII
    if (ascii) this.#length += piece.length
    return ascii
  }

  #reserve(bytes: number): void {
    const wanted = this.#length + bytes
    if (wanted <= this.#bytes.length) return
    const larger = new Uint8Array(2 * wanted)
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}
