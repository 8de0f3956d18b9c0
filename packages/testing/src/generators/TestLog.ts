/**
 * Logs for tests: a real chain, made by the core, with history before it, anchors of it and removals in it.
 */
import { type AnchorDetail, type EvidenceBlock, previousAnchorHash } from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import {
  type ContentParts,
  contentHash,
  contentParts,
  decodeEvent,
  nowhere,
  systemContent
} from "@cairn/core/event"
import type { EvidenceAnchor } from "@cairn/core/evidence"
import { nativeSha256, portableSha256, type Sha256Shape, toHex, uuid } from "@cairn/core/hashing"
import {
  type ChainContext,
  EVENT_ERASED,
  extendChain,
  extendHistory,
  FIRST_LEGACY_SEQUENCE,
  type Head,
  type LogEntry,
  type PendingEvent,
  RETENTION_APPLIED,
  RETENTION_PREFIX
} from "@cairn/core/log"
import { hashFromHex, merkleRoot } from "@cairn/core/merkle"
import { isKept } from "@cairn/core/retention"
import { Result } from "effect"
import { eventGenerator } from "./EventGenerator.ts"
import { seededRandomness } from "./SeededRandom.ts"
import { contentOf } from "./StoredContent.ts"

const sha256: Sha256Shape = nativeSha256 ?? portableSha256

/** 2024-05-01T12:00:00Z, when the first event of a test log is recorded; the others follow a second apart. */
export const NOON = 1_714_564_800 * Micros.SECOND

/** The result of sending an anchor to a chain. */
export interface SentAnchor {
  readonly txHash: string
  readonly blockNumber: number
  readonly transactions: ReadonlyArray<string>
  readonly block: EvidenceBlock | null
}

/** A record of retention: its place, and what it removes. */
export interface TestRetention {
  readonly at: number
  readonly below: number
  /** Whether it has the older form, which does not name what was kept. */
  readonly older?: boolean
}

/** The options of a test log. */
export interface TestLogOptions {
  /** Ordinary events; a log with history begins with one more. */
  readonly events: number
  /** 1 unless set. Other seeds make other logs. */
  readonly seed?: number
  /** Events from before the chain. */
  readonly legacy?: number
  /** Sequences at which periods end; each period gets an anchor. */
  readonly periods?: ReadonlyArray<number>
  /** Sequences whose contents are erased, which another event records. */
  readonly erased?: ReadonlyArray<number>
  /** Retention removes contents below this sequence, which another event records. */
  readonly retainedFrom?: number
  /** More records of retention, ascending; each replaces an ordinary event. */
  readonly retained?: ReadonlyArray<TestRetention>
  /**
   * Sequences at which an event records, instead of an ordinary event, that a shorter retention was
   * announced.
   */
  readonly announced?: ReadonlyArray<number>
  /** Whether contents are still there, as before their removal. */
  readonly unremoved?: boolean
  /** Ordinary events after those that record removals. */
  readonly later?: number
  /** Sends an anchor to a chain; without it, anchors stay pending. */
  readonly send?: (anchor: {
    readonly origin: string
    readonly merkleRoot: string
    readonly previousAnchorHash: string | null
    readonly periodEnd: Micros.Micros
  }) => SentAnchor
}

/** A log and what is known of it. */
export interface TestLog {
  readonly workspaceId: string
  readonly origin: string
  /** Of sequence 1, 2, … */
  readonly events: ReadonlyArray<LogEntry>
  readonly legacy: ReadonlyArray<LogEntry>
  readonly anchors: ReadonlyArray<EvidenceAnchor>
}

/** Chains events, each a second after the one before. */
class Chain {
  readonly events: Array<LogEntry> = []
  head: Head = { sequence: 0, eventHash: null, eventId: null, createdAt: 0, legacy: null }
  readonly #context: ChainContext
  #at = NOON

  constructor(context: ChainContext) {
    this.#context = context
  }

  append(content: (at: Micros.Micros) => ContentParts): void {
    const at = this.#at
    this.#at += Micros.SECOND
    const event: PendingEvent = {
      id: uuid(this.#context.random),
      idempotencyKey: null,
      clientAddress: null,
      content: content(at)
    }
    const appended = extendChain(this.#context, this.head, [{ inboxId: at, acceptedAt: at, events: [event] }])
    this.events.push(...appended.events)
    this.head = appended.head
  }
}

/** Whether retention leaves an event's content. */
const hasKeptAction = (event: LogEntry): boolean => isKept(contentOf(event)?.action ?? "")

/** Records of retention, each of which continues where the previous one ended. */
class Retained {
  readonly #chain: Chain
  #below = FIRST_LEGACY_SEQUENCE
  /** Contents that no record accounts for, except those of the older form. */
  #next = FIRST_LEGACY_SEQUENCE

  constructor(chain: Chain) {
    this.#chain = chain
  }

  /** Appends the record that contents below a sequence are removed. */
  apply({ below, older = false }: Omit<TestRetention, "at">): void {
    const from = this.#next
    this.#below = below
    this.#next = older ? FIRST_LEGACY_SEQUENCE : below
    const within = this.#chain.events.filter(({ sequence }) => sequence >= from && sequence < below)
    const kept = within.filter(hasKeptAction).map(({ sequence }) => sequence)
    const metadata = older ? {} : { from_sequence: from, kept }
    this.#chain.append((at) => systemContent(RETENTION_APPLIED, { below_sequence: below, ...metadata }, at))
  }

  /** Whether the content of an event was removed. */
  hasRemoved(event: LogEntry): boolean {
    return event.sequence < this.#below && !hasKeptAction(event)
  }
}

/** The leaves of a Merkle tree over events. */
export const leafData = (events: ReadonlyArray<LogEntry>): ReadonlyArray<Uint8Array> =>
  events.map(({ eventHash }) => Result.getOrThrow(hashFromHex(eventHash ?? "", "leaf_data")))

/** The event without its content. A legacy event's hash is stored from then on. */
const removed = (event: LogEntry): LogEntry => {
  const kept = event.contentHash ?? contentHash(sha256, event.salt ?? "", event.content ?? "")
  return { ...event, content: null, salt: null, contentHash: kept }
}

/** The anchors over some periods of a log, in a chain. */
const anchorsOver = (
  events: ReadonlyArray<LogEntry>,
  origin: string,
  { periods = [], send, seed = 1 }: TestLogOptions
): ReadonlyArray<EvidenceAnchor> => {
  const random = seededRandomness(seed + 1_000_000)
  const anchors: Array<EvidenceAnchor> = []
  let begin = 1
  let periodStart = Math.floor(NOON / Micros.DAY) * Micros.DAY
  for (const end of periods) {
    const period = events.slice(begin - 1, end)
    const [first, last] = [period.at(0), period.at(-1)]
    if (first === undefined || last === undefined) throw new RangeError(`no events ${begin} to ${end}`)
    const merkleRootHex = toHex(merkleRoot(sha256, leafData(period)))
    const previous = anchors.at(-1)
    const previousHash = previous === undefined ? null : previousAnchorHash(sha256, previous.anchor)
    const periodEnd = (Math.floor(last.createdAt / Micros.SECOND) + 1) * Micros.SECOND
    const sent = send?.({ origin, merkleRoot: merkleRootHex, previousAnchorHash: previousHash, periodEnd })
    const anchor: AnchorDetail = {
      id: `anc_${uuid(random)}`,
      merkle_root: merkleRootHex,
      previous_anchor_hash: previousHash,
      events_count: period.length,
      period_start: Micros.formatSeconds(periodStart),
      period_end: Micros.formatSeconds(periodEnd),
      chain: "base",
      status: sent === undefined ? "pending" : "confirmed",
      tx_hash: sent?.txHash ?? null,
      block_number: sent?.blockNumber ?? null,
      explorer_url: sent === undefined ? null : `https://basescan.org/tx/${sent.txHash}`,
      created_at: Micros.formatSeconds(periodEnd),
      first_event_hash: first.eventHash ?? "",
      last_event_hash: last.eventHash ?? ""
    }
    anchors.push({
      type: "anchor",
      anchor,
      first_sequence: begin,
      last_sequence: end,
      after: [],
      transactions: sent?.transactions ?? [],
      block: sent?.block ?? null
    })
    begin = end + 1
    periodStart = periodEnd
  }
  return anchors
}

/** Makes a log. The same options make the same log. */
export const testLog = (options: TestLogOptions): TestLog => {
  const { events: count, seed = 1, legacy: history = 0, erased = [], retainedFrom = 0, later = 0 } = options
  const { retained = [], announced = [], unremoved = false } = options
  const random = seededRandomness(seed)
  const workspaceId = `wsp_${uuid(random)}`
  const origin = `cairn.test/${uuid(random)}`
  const context: ChainContext = {
    workspaceId,
    sha256,
    random,
    lookup: () => nowhere,
    now: NOON + 1_000 * Micros.DAY
  }
  const next = eventGenerator({ seed })
  const content = (at: Micros.Micros) => contentParts(Result.getOrThrow(decodeEvent(next())), at)

  const chain = new Chain(context)
  const before = Array.from({ length: history }, (_, index) => {
    const acceptedAt = NOON - (history - index) * Micros.SECOND
    const event = {
      id: uuid(random),
      idempotencyKey: null,
      clientAddress: null,
      content: content(acceptedAt)
    }
    return { inboxId: index, acceptedAt, events: [event] }
  })
  const imported = extendHistory(context, chain.head, before)
  if (history > 0) chain.head = imported.head
  const retention = new Retained(chain)
  for (let index = 0; index < count; index++) {
    // The first event of the chain comes together with the one that commits to the history before it.
    const at = chain.head.sequence === 0 && history > 0 ? 2 : chain.head.sequence + 1
    const record = retained.find((one) => one.at === at)
    if (record !== undefined) retention.apply(record)
    else if (announced.includes(at)) {
      chain.append((now) =>
        systemContent(`${RETENTION_PREFIX}scheduled`, { from_days: 90, to_days: 30 }, now)
      )
    } else chain.append(content)
  }
  if (erased.length > 0) {
    chain.append((at) => systemContent(EVENT_ERASED, { sequences: [...erased] }, at))
  }
  if (retainedFrom > 0) retention.apply({ below: retainedFrom })
  for (let index = 0; index < later; index++) chain.append(content)

  const gone = new Set(erased)
  const left = (event: LogEntry) =>
    !unremoved && (gone.has(event.sequence) || retention.hasRemoved(event)) ? removed(event) : event
  const events = chain.events.map(left)
  return {
    workspaceId,
    origin,
    events,
    legacy: imported.events.map(left),
    anchors: anchorsOver(events, origin, options)
  }
}
