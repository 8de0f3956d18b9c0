/**
 * Which events of a bundle are what was hashed, computed for many at once from the bytes of their lines. Each
 * byte is hashed once, whether it is right or wrong.
 */
import { canonicalString } from "@cairn/core/encoding"
import type { EvidenceEvent } from "@cairn/core/evidence"
import { HASH_BYTES, HashBatch, type Sha256Shape } from "@cairn/core/hashing"
import { isSpelling, leafHashes, spellHashes, writeHex } from "@cairn/core/merkle"

const utf8 = new TextEncoder()
const CONTENT_PREFIX = utf8.encode("cairn.content.v1\n")
const NEWLINE = utf8.encode("\n")
const HEADER_PREFIX = utf8.encode("cairn.event.v1\n{")

/** What was found of an event. */
export interface FoundHashes {
  /**
   * The hash of its content, if that is not the one that its line states; null if it is, or the content was
   * removed.
   */
  readonly otherContent: string | null
  /** The hash of its header, if that is not the one that its line states; null if it is. */
  readonly otherHeader: string | null
}

/** The hash at `index` in the output of `spellHashes`. */
const textOf = (spelt: string, index: number): string =>
  spelt.slice(index * 2 * HASH_BYTES, (index + 1) * 2 * HASH_BYTES)

/** What was found of some events, in their order. */
export interface FoundEvents {
  readonly hashes: ReadonlyArray<FoundHashes>
  /**
   * The hashes of the leaves that they are in a tree, by the hashes that their lines state, one after the
   * other.
   */
  readonly leaves: Uint8Array
}

/**
 * Hash format 1, the same as `contentHash` and `eventHash` of the core (docs/HashFormat.md), of the events of
 * one workspace.
 */
export class EventHashes {
  readonly #sha256: Sha256Shape
  readonly #contents: HashBatch
  readonly #headers: HashBatch
  readonly #headerEnd: Uint8Array

  constructor(sha256: Sha256Shape, workspaceId: string) {
    this.#sha256 = sha256
    this.#contents = new HashBatch(sha256)
    this.#headers = new HashBatch(sha256)
    this.#headerEnd = utf8.encode(`"v":1,"workspace_id":${canonicalString(workspaceId)}}`)
  }

  /** Three SHA-256 an event. */
  of(events: ReadonlyArray<EvidenceEvent>): FoundEvents {
    for (const { content, salt, header } of events) {
      if (content !== null && salt !== null) {
        this.#contents.bytes(CONTENT_PREFIX)
        this.#contents.text(salt)
        this.#contents.bytes(NEWLINE)
        this.#contents.bytes(content)
        this.#contents.end()
      }
      this.#headers.bytes(HEADER_PREFIX)
      for (const members of header) this.#headers.bytes(members)
      this.#headers.bytes(this.#headerEnd)
      this.#headers.end()
    }
    const contents = spellHashes(this.#contents.hash())
    const headers = this.#headers.hash()
    const spelt = spellHashes(headers)
    let at = 0
    const hashes = events.map(({ content, salt, contentHash, eventHash }, index): FoundHashes => {
      const otherHeader = isSpelling(spelt, index, eventHash) ? null : textOf(spelt, index)
      // From here on they are the hashes that the lines state.
      if (otherHeader !== null) writeHex(eventHash, headers, index * HASH_BYTES)
      if (content === null || salt === null) return { otherContent: null, otherHeader }
      const otherContent = isSpelling(contents, at, contentHash) ? null : textOf(contents, at)
      at++
      return { otherContent, otherHeader }
    })
    return { hashes, leaves: leafHashes(this.#sha256, headers) }
  }
}
