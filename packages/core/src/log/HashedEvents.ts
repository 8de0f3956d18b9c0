/**
 * Which stored events surely are what was hashed, found for many at once: both hashes of each are recomputed
 * side by side.
 *
 * `true` is an answer, `false` is none: whoever wants to know what is wrong with an event looks at it alone,
 * see `ChainCheck`.
 */

import { headerText } from "../event/EventHash.ts"
import { HashBatch } from "../hashing/HashBatch.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { isSpelling, spellHashes } from "../merkle/TreeHash.ts"
import type { StoredEvent } from "./EventLog.ts"

const utf8 = new TextEncoder()
const CONTENT_PREFIX = utf8.encode("cairn.content.v1\n")
const HEADER_PREFIX = utf8.encode("cairn.event.v1\n")
const NEWLINE = utf8.encode("\n")

/** Bytes of contents that are hashed together. */
const HELPING = 65_536

/** Two SHA-256 an event; keeps a helping of contents, or one where that is longer. */
export class HashedEvents {
  readonly #workspaceId: string
  readonly #contents: HashBatch
  readonly #headers: HashBatch

  constructor(sha256: Sha256Shape, workspaceId: string) {
    this.#workspaceId = workspaceId
    this.#contents = new HashBatch(sha256)
    this.#headers = new HashBatch(sha256)
  }

  /** For each event whether its content has the hash that is stored, and its header with that the event's. */
  intact(events: ReadonlyArray<StoredEvent>): ReadonlyArray<boolean> {
    const found: Array<boolean> = []
    let begin = 0
    for (const [index, event] of events.entries()) {
      this.#add(event)
      if (this.#contents.length < HELPING && index < events.length - 1) continue
      this.#compare(events.slice(begin, index + 1), found)
      begin = index + 1
    }
    return found
  }

  #add({ id, createdAt, content, contentHash, previousEventHash, salt, sequence }: StoredEvent): void {
    if (content === null || salt === null || contentHash === null) return
    this.#contents.bytes(CONTENT_PREFIX)
    this.#contents.text(salt)
    this.#contents.bytes(NEWLINE)
    this.#contents.text(content)
    this.#contents.end()
    this.#headers.bytes(HEADER_PREFIX)
    const workspaceId = this.#workspaceId
    this.#headers.text(headerText({ contentHash, createdAt, id, previousEventHash, sequence, workspaceId }))
    this.#headers.end()
  }

  #compare(events: ReadonlyArray<StoredEvent>, found: Array<boolean>): void {
    const contents = spellHashes(this.#contents.hash())
    const headers = spellHashes(this.#headers.hash())
    let at = 0
    for (const { content, salt, contentHash, eventHash } of events) {
      const hashed = content !== null && salt !== null && contentHash !== null
      found.push(
        hashed &&
          eventHash !== null &&
          isSpelling(contents, at, contentHash) &&
          isSpelling(headers, at, eventHash)
      )
      if (hashed) at++
    }
  }
}
