/** Who did what and when, for events with findings: people recognise an event by that, not by its number. */

import { Micros } from "@cairn/core/encoding"
import { parseContent } from "@cairn/core/event"
import type { EvidenceEvent } from "@cairn/core/evidence"

/** An event by what its line says of it. Of one that was changed it is what the line says now. */
export interface EventName {
  /** The actor's id; null if the content was removed or cannot be read. */
  readonly actor: string | null
  readonly action: string | null
  readonly occurred_at: string | null
  readonly created_at: string
}

/**
 * Most contents that are parsed for names: nobody reads a longer list, and each costs time in proportion to
 * its length.
 */
const MOST = 1_000

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Reads the names of events, up to a limit. */
export class EventNames {
  #named = 0
  /** The last event that was asked for: several things may be wrong with it. */
  #last: { readonly event: object; readonly name: EventName } | undefined
  readonly #parsed: (bytes: number) => void

  /** `parsed` is called with each content that is read. */
  constructor(parsed: (bytes: number) => void) {
    this.#parsed = parsed
  }

  /** The name of an event. Must be called before the reader gets more bytes. */
  of(event: Pick<EvidenceEvent, "content" | "createdAt">): EventName {
    if (this.#last?.event === event) return this.#last.name
    const name = this.#read(event)
    this.#last = { event, name }
    return name
  }

  #read({ content, createdAt }: Pick<EvidenceEvent, "content" | "createdAt">): EventName {
    const nameless = { actor: null, action: null, occurred_at: null, created_at: Micros.format(createdAt) }
    if (content === null || this.#named >= MOST) return nameless
    this.#named++
    this.#parsed(content.length)
    try {
      const parsed = parseContent(utf8.decode(content))
      if (parsed === undefined) return nameless
      const { actor, action, occurred_at } = parsed
      return { ...nameless, actor: actor.id, action, occurred_at }
    } catch {
      return nameless
    }
  }
}
