/**
 * Logs and evidence bundles for tests: a real chain, made by the core, with history before it, anchors over
 * it, removals in it, and bundles of any range of it.
 */
import { type AnchorDetail, type EvidenceBlock, previousAnchorHash } from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import {
  type ContentParts,
  contentHash,
  contentParts,
  decodeEvent,
  nowhere,
  parseContent,
  systemContent
} from "@cairn/core/event"
import {
  anchorLine,
  checkpointLine,
  EVIDENCE_FORMAT,
  type EvidenceAnchor,
  type EvidenceHeader,
  endLine,
  eventLine,
  headerLine,
  legacyLine,
  prefixLine,
  removalLine
} from "@cairn/core/evidence"
import {
  type Ed25519SignerShape,
  nativeSha256,
  portableSha256,
  type Sha256Shape,
  toHex,
  uuid
} from "@cairn/core/hashing"
import {
  type ChainContext,
  EVENT_ERASED,
  extendChain,
  extendHistory,
  FIRST_LEGACY_SEQUENCE,
  type Head,
  type PendingEvent,
  RETENTION_APPLIED,
  RETENTION_PREFIX,
  removalOf,
  type StoredEvent
} from "@cairn/core/log"
import {
  type ConsistencyProof,
  frontierFromNodes,
  hashFromHex,
  memoryNodes,
  merkleRoot,
  type NodeReader,
  proveConsistency,
  proveInclusion,
  rootFromNodes
} from "@cairn/core/merkle"
import { formatVerifierKey, makeVerifierKey, signCheckpoint } from "@cairn/core/note"
import type { ProvenEvent } from "@cairn/core/proof"
import { isKept } from "@cairn/core/retention"
import { Result } from "effect"
import { eventGenerator } from "./EventGenerator.ts"
import { seededRandomness } from "./SeededRandom.ts"

const sha256: Sha256Shape = nativeSha256 ?? portableSha256

/** 2024-05-01T12:00:00Z, when the first event of a test log is recorded; the others follow a second apart. */
const NOON = 1_714_564_800 * Micros.SECOND

/** What came of sending an anchor to a chain. */
export interface SentAnchor {
  readonly txHash: string
  readonly blockNumber: number
  readonly transactions: ReadonlyArray<string>
  readonly block: EvidenceBlock | null
}

/** A record of retention: where it stands, and what it removes. */
export interface TestRetention {
  readonly at: number
  readonly below: number
  /** Whether it has the older form, which says nothing of what it left. */
  readonly older?: boolean
}

/** What a test log is made of. */
export interface TestLogOptions {
  /** Ordinary events; a log with history begins with one more. */
  readonly events: number
  /** 1 unless set. Other seeds make other logs. */
  readonly seed?: number
  /** Events from before the chain. */
  readonly legacy?: number
  /** Sequences with which periods end, each of which gets an anchor. */
  readonly periods?: ReadonlyArray<number>
  /** Sequences whose contents are erased, which a further event records. */
  readonly erased?: ReadonlyArray<number>
  /** Contents below this sequence are removed by retention, which a further event records. */
  readonly retainedFrom?: number
  /** Further records of retention, ascending; each stands in the place of an ordinary event. */
  readonly retained?: ReadonlyArray<TestRetention>
  /**
   * Sequences at which the log says, in the place of an ordinary event, that a shorter retention was
   * announced.
   */
  readonly announced?: ReadonlyArray<number>
  /** Whether contents are still there, as they were before they were removed. */
  readonly unremoved?: boolean
  /** Ordinary events after those that record removals. */
  readonly later?: number
  /** Sends an anchor to a chain; without it they stay pending. */
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
  readonly events: ReadonlyArray<StoredEvent>
  readonly legacy: ReadonlyArray<StoredEvent>
  readonly anchors: ReadonlyArray<EvidenceAnchor>
}

/** Chains events, each a second after the one before. */
class Chain {
  readonly events: Array<StoredEvent> = []
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

/** Records of retention, each of which goes on where the one before it ended. */
class Retained {
  readonly #chain: Chain
  #below = FIRST_LEGACY_SEQUENCE
  /** What no record accounts for that says what it left. */
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
    const kept = within.filter(({ columns }) => isKept(columns.action)).map(({ sequence }) => sequence)
    const metadata = older ? {} : { from_sequence: from, kept }
    this.#chain.append((at) => systemContent(RETENTION_APPLIED, { below_sequence: below, ...metadata }, at))
  }

  /** Whether the content of an event is gone. */
  hasRemoved({ sequence, columns }: StoredEvent): boolean {
    return sequence < this.#below && !isKept(columns.action)
  }
}

const leafData = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<Uint8Array> =>
  events.map(({ eventHash }) => Result.getOrThrow(hashFromHex(eventHash ?? "", "leaf_data")))

/** The event without its content. Of one from before the chain the hash is kept from then on. */
const removed = (event: StoredEvent): StoredEvent => {
  const kept = event.contentHash ?? contentHash(sha256, event.salt ?? "", event.content ?? "")
  return { ...event, content: null, salt: null, contentHash: kept }
}

/** The anchors over some periods of a log, in a chain. */
const anchorsOver = (
  events: ReadonlyArray<StoredEvent>,
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
    // The first event of the chain comes with the one that says what was before it.
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
  const left = (event: StoredEvent) =>
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

/** Which part of a log a bundle holds, and what goes with it. */
export interface TestBundleOptions {
  readonly from?: number
  readonly to?: number
  /** Size of the checkpoint's tree: the whole log unless set; null for no checkpoint. */
  readonly size?: number | null
  /** Who signs the checkpoint. Without one there is none. */
  readonly signer?: Ed25519SignerShape
  /** Whether the history from before the chain goes along; true unless set. */
  readonly history?: boolean
}

/** Name of the key that signs the checkpoints of test logs. */
export const TEST_KEY_NAME = "cairn.test"

const growth = (read: NodeReader, first: number, second: number): ConsistencyProof["hashes"] =>
  first === 0 || first === second
    ? []
    : Result.getOrThrow(proveConsistency(sha256, read, first, second)).hashes

/** That an event stands in the tree of the anchor of its period, if there is one. */
const anchoredEvent = (log: TestLog, sequence: number): ProvenEvent["anchored"] => {
  const line = log.anchors.find(
    ({ first_sequence: first, last_sequence: last }) => first <= sequence && sequence <= last
  )
  if (line === undefined) return null
  const { anchor, first_sequence: first, last_sequence: last } = line
  const read = memoryNodes(sha256, leafData(log.events.slice(first - 1, last)))
  const leafIndex = sequence - first
  const { hashes } = Result.getOrThrow(proveInclusion(sha256, read, leafIndex, last - first + 1))
  return { anchor, leaf_index: leafIndex, hashes }
}

/** The proof of one event into the tree of `size` events, and into that of its anchor. */
export const provenEvent = (log: TestLog, sequence: number, size: number): ProvenEvent => {
  const event = log.events[sequence - 1]
  if (event === undefined) throw new RangeError(`no event ${sequence}`)
  const read = memoryNodes(sha256, leafData(log.events))
  return {
    header: {
      content_hash: event.contentHash ?? "",
      created_at: Micros.format(event.createdAt),
      id: event.id,
      previous_event_hash: event.previousEventHash,
      sequence,
      v: 1,
      workspace_id: log.workspaceId
    },
    content: event.content === null ? null : JSON.parse(event.content),
    salt: event.salt,
    inclusion: Result.getOrThrow(proveInclusion(sha256, read, sequence - 1, size)).hashes,
    anchored: anchoredEvent(log, sequence)
  }
}

/** The signed checkpoint of a log at a size. */
export const testCheckpoint = (log: TestLog, size: number, signer: Ed25519SignerShape): string => {
  const read = memoryNodes(sha256, leafData(log.events))
  const root = Result.getOrThrow(rootFromNodes(sha256, read, size))
  return Result.getOrThrow(
    signCheckpoint(sha256, signer, TEST_KEY_NAME, { origin: log.origin, size, root, extensions: [] })
  )
}

/** The anchors whose events lie in a range, each with the way from what the range holds of it to its root. */
const anchorsWithin = (log: TestLog, from: number, to: number): ReadonlyArray<EvidenceAnchor> =>
  log.anchors
    .filter(({ first_sequence: first, last_sequence: last }) => last >= from && first <= to)
    .map((anchor) => {
      const { first_sequence: first, last_sequence: last } = anchor
      if (last <= to) return anchor
      const read = memoryNodes(sha256, leafData(log.events.slice(first - 1, last)))
      return { ...anchor, after: growth(read, to - first + 1, last - first + 1) }
    })

/** What stands before a range. */
const prefixOf = (log: TestLog, read: NodeReader, from: number): string => {
  const open = log.anchors.find(
    ({ first_sequence: first, last_sequence: last }) => first < from && last >= from
  )
  // After the last anchor, a period is open that has none yet.
  const closed = log.anchors.at(-1)?.last_sequence ?? 0
  const first = open?.first_sequence ?? (closed > 0 && closed < from - 1 ? closed + 1 : undefined)
  const period = first === undefined ? undefined : leafData(log.events.slice(first - 1, from - 2))
  return prefixLine({
    type: "prefix",
    log: Result.getOrThrow(frontierFromNodes(read, from - 2)).hashes,
    period:
      first === undefined || period === undefined
        ? null
        : {
            first_sequence: first,
            hashes: Result.getOrThrow(frontierFromNodes(memoryNodes(sha256, period), period.length)).hashes
          }
  })
}

/** The lines of a bundle, each with its newline. */
export const testBundle = (log: TestLog, options: TestBundleOptions = {}): Array<string> => {
  const { from = 1, to = log.events.length, signer, history = true } = options
  const size = signer === undefined ? null : options.size === undefined ? log.events.length : options.size
  const read = memoryNodes(sha256, leafData(log.events))
  const key = signer && Result.getOrThrow(makeVerifierKey(sha256, TEST_KEY_NAME, signer.publicKey))
  const header: EvidenceHeader = {
    type: "header",
    format: EVIDENCE_FORMAT,
    workspace_id: log.workspaceId,
    origin: log.origin,
    from,
    to,
    keys: key === undefined ? [] : [formatVerifierKey(key)],
    created_at: Micros.format(NOON + Micros.DAY)
  }
  const lines = [headerLine(header)]
  const events = log.events.slice(from - 1, to)
  if (from > 1 && events.length > 0) lines.push(prefixOf(log, read, from))
  const legacy = from === 1 && history ? log.legacy : []
  lines.push(...legacy.map(legacyLine))
  const anchors = [...anchorsWithin(log, from, to)]
  const counts = { anchors: anchors.length, events: events.length, legacy: legacy.length, removals: 0 }
  for (const event of events) {
    while (anchors[0] !== undefined && anchors[0].last_sequence < event.sequence) {
      lines.push(...anchors.splice(0, 1).map(anchorLine))
    }
    lines.push(eventLine(event))
  }
  lines.push(...anchors.map(anchorLine))
  if (signer !== undefined && size !== null) {
    lines.push(
      checkpointLine({
        type: "checkpoint",
        note: testCheckpoint(log, size, signer),
        after: growth(read, events.length === 0 ? 0 : to, size)
      })
    )
    for (const event of log.events.slice(to, size)) {
      const content = event.content === null ? undefined : parseContent(event.content)
      if (content === undefined || removalOf(content) === undefined) continue
      lines.push(removalLine({ type: "removal", event: provenEvent(log, event.sequence, size) }))
      counts.removals++
    }
  }
  lines.push(endLine({ type: "end", ...counts }))
  return lines
}
