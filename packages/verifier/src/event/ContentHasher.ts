/** Hashes of contents as bytes of a file, without decoding them to text. */
import type { Sha256Shape } from "@cairn/core/hashing"

const PREFIX = new TextEncoder().encode("cairn.content.v1\n")
const SALT_LENGTH = 32
const HEAD = PREFIX.length + SALT_LENGTH + 1

/**
 * Hash format 1, the same as `contentHash` of the core (docs/HashFormat.md). Keeps a buffer as large as the
 * largest content.
 */
export class ContentHasher {
  readonly #sha256: Sha256Shape
  #buffer = new Uint8Array(4096)

  constructor(sha256: Sha256Shape) {
    this.#sha256 = sha256
    this.#begin()
  }

  /** The content's hash. `salt` is 32 ASCII characters. */
  hash(salt: string, content: Uint8Array): string {
    const length = HEAD + content.length
    if (length > this.#buffer.length) {
      this.#buffer = new Uint8Array(2 * length)
      this.#begin()
    }
    for (let index = 0; index < SALT_LENGTH; index++) {
      this.#buffer[PREFIX.length + index] = salt.charCodeAt(index)
    }
    this.#buffer.set(content, HEAD)
    return this.#sha256.hex(this.#buffer.subarray(0, length))
  }

  #begin(): void {
    this.#buffer.set(PREFIX)
    this.#buffer[HEAD - 1] = 0x0a
  }
}
