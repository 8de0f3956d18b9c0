/** The growing end of the hash chain: gives waiting events their sequence, time and hash. Pure. */

import type { Micros } from "../encoding/Micros.ts"
import { type ContentParts, contentText } from "../event/ContentWriter.ts"
import { contentHash, eventHash, SALT_BYTES } from "../event/EventHash.ts"
import type { Place } from "../event/GeoIp.ts"
import { isReadable } from "../event/TextMatch.ts"
import { type RandomnessShape, toHex, uuid } from "../hashing/Randomness.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import type { Append, Head, LogEntry } from "./EventLog.ts"
import type { InboxRow } from "./Inbox.ts"
import { chainStartedContent, extendLegacy, legacyCommitment, nextLegacySequence } from "./LegacyHistory.ts"

/** What the chain needs in addition to its head. */
export interface ChainContext {
  readonly workspaceId: string
  readonly sha256: Sha256Shape
  readonly random: RandomnessShape
  readonly lookup: (address: string) => Place
  /** The store's time: no event is dated later, unless the head already is. */
  readonly now: Micros
}

const NOWHERE: Place = { country: null, city: null }

/** An event that is about to be appended. */
interface Draft {
  readonly id: string
  readonly createdAt: Micros
  readonly clientAddress: string | null
  readonly content: ContentParts
}

/**
 * `created_at` of a request's first event: the time of acceptance, unless the head is already later or the
 * accepting process's clock was ahead. The request's other events follow 1 µs apart.
 */
const firstMoment = (head: Head, acceptedAt: Micros, now: Micros): Micros =>
  Math.max(head.createdAt + 1, Math.min(acceptedAt, now))

const stored = (context: ChainContext, draft: Draft, sequence: number) => {
  const place = draft.clientAddress === null ? NOWHERE : context.lookup(draft.clientAddress)
  const content = contentText(draft.content, place)
  if (!isReadable(content)) throw new Error(`event ${draft.id} has no readable content`)
  const salt = toHex(context.random.bytes(SALT_BYTES))
  const { id, createdAt } = draft
  return { sequence, id, createdAt, content, salt }
}

/** Gives one event its sequence and hash, after the head. */
const append = (
  context: ChainContext,
  head: Head,
  draft: Draft
): { readonly event: LogEntry; readonly head: Head } => {
  const sequence = head.sequence + 1
  const bare = stored(context, draft, sequence)
  const hashOfContent = contentHash(context.sha256, bare.salt, bare.content)
  const previousEventHash = head.eventHash
  const { id, createdAt } = bare
  const { workspaceId } = context
  const hash = eventHash(context.sha256, {
    contentHash: hashOfContent,
    createdAt,
    id,
    previousEventHash,
    sequence,
    workspaceId
  })
  return {
    event: { ...bare, contentHash: hashOfContent, previousEventHash, eventHash: hash },
    head: { ...head, sequence, eventHash: hash, eventId: id, createdAt }
  }
}

/** The first event of a chain that has history before it; it commits to that history. */
const chainStarted = (context: ChainContext, head: Head, first: Micros): Draft | undefined => {
  if (head.sequence > 0 || head.legacy === null) return undefined
  // Dated just before the first request, so that the request keeps its own time.
  const createdAt = firstMoment(head, first - 1, context.now)
  const content = chainStartedContent(legacyCommitment(context.sha256, head.legacy), createdAt)
  return { id: uuid(context.random), createdAt, clientAddress: null, content }
}

/**
 * Chains the rows to the head: each event gets the next sequence, a time and a hash.
 *
 * Costs two SHA-256 and one walk through the content an event. Throws if a content cannot be read.
 */
export const extendChain = (context: ChainContext, head: Head, rows: ReadonlyArray<InboxRow>): Append => {
  const events: Array<LogEntry> = []
  let last = head
  const add = (draft: Draft) => {
    const appended = append(context, last, draft)
    events.push(appended.event)
    last = appended.head
  }
  const started = chainStarted(context, head, rows[0]?.acceptedAt ?? context.now)
  if (started !== undefined) add(started)
  for (const row of rows) {
    const first = firstMoment(last, row.acceptedAt, context.now)
    for (const [offset, event] of row.events.entries()) {
      const { id, clientAddress, content } = event
      add({ id, clientAddress, content, createdAt: first + offset })
    }
  }
  return { events, head: last }
}

/** Makes the rows legacy events before the chain: with sequences and times, without hashes. */
export const extendHistory = (context: ChainContext, head: Head, rows: ReadonlyArray<InboxRow>): Append => {
  const events: Array<LogEntry> = []
  let { createdAt } = head
  for (const row of rows) {
    for (const { id, clientAddress, content } of row.events) {
      createdAt = Math.max(createdAt + 1, Math.min(row.acceptedAt, context.now))
      const bare = stored(
        context,
        { id, clientAddress, content, createdAt },
        nextLegacySequence(head) + events.length
      )
      events.push({ ...bare, contentHash: null, previousEventHash: null, eventHash: null })
    }
  }
  return { events, head: extendLegacy(context.sha256, context.workspaceId, head, events) }
}
