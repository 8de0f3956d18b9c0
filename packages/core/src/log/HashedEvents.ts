/**
 * Which stored events certainly match their hashes. Both hashes of many events are recomputed in parallel.
 *
 * `true` is certain; `false` means unknown: `ChainCheck` then examines the event by itself and finds what is
 * wrong.
 */

import { headerText } from "../event/EventHash.ts"
import { HashBatch } from "../hashing/HashBatch.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { isSpelling, spellHashes } from "../merkle/TreeHash.ts"
import type { LogEntry } from "./EventLog.ts"

const utf8 = new TextEncoder()
const CONTENT_PREFIX = utf8.encode("cairn.content.v1\n")
const HEADER_PREFIX = utf8.encode("cairn.event.v1\n")
const NEWLINE = utf8.encode("\n")

/** Bytes of contents that are hashed together. */
const CHUNK = 65_536

/** Costs two SHA-256 an event. Keeps 65,536 bytes of contents, or one content if that is longer. */
export class HashedEvents {
  readonly #workspaceId: string
  readonly #contents: HashBatch
  readonly #headers: HashBatch

  constructor(sha256: Sha256Shape, workspaceId: string) {
    this.#workspaceId = workspaceId
    this.#contents = new HashBatch(sha256)
    this.#headers = new HashBatch(sha256)
  }

  /** For each event, whether its content has the stored content hash and its header the stored event hash. */
  intact(events: ReadonlyArray<LogEntry>): ReadonlyArray<boolean> {
    const found: Array<boolean> = []
    let begin = 0
    for (const [index, event] of events.entries()) {
      this.#add(event)
      if (this.#contents.length < CHUNK && index < events.length - 1) continue
      found.push(...this.#compare(events.slice(begin, index + 1)))
      begin = index + 1
    }
    return found
  }

  #add({ id, createdAt, content, contentHash, previousEventHash, salt, sequence }: LogEntry): void {
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

  #compare(events: ReadonlyArray<LogEntry>): ReadonlyArray<boolean> {
    const contents = spellHashes(this.#contents.hash())
    const headers = spellHashes(this.#headers.hash())
    let at = 0
    return events.map(({ content, salt, contentHash, eventHash }) => {
      if (content === null || salt === null || contentHash === null) return false
      const place = at++
      return (
        eventHash !== null &&
        isSpelling(contents, place, contentHash) &&
        isSpelling(headers, place, eventHash)
      )
    })
  }
}
