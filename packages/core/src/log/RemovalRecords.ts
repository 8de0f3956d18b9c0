/** What a log itself says of contents that it has removed, as far as it is to be believed. */
import { Effect } from "effect"
import { parseContent } from "../event/EventContent.ts"
import { contentHash, eventHash } from "../event/EventHash.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { type EventLogShape, FIRST_LEGACY_SEQUENCE, type LogEntry, type StoredEvent } from "./EventLog.ts"
import { ENOUGH_TO_LIST, mayGoOn } from "./ReadingBound.ts"
import { EVENT_ERASED, RETENTION_APPLIED, type Removal, type RetentionRemoval, removalOf } from "./Removal.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** Records read at a time. */
const HELPING = 1_000

type Log = Pick<EventLogShape, "page" | "scan">

/** Whether the log has on record that the content of this sequence was removed. */
export type IsRemoved = (sequence: number) => boolean

/** Whether a record is what was chained: its content has its hash, and its neighbours know it. */
const isChained = (
  sha256: Sha256Shape,
  workspaceId: string,
  [before, record, after]: readonly [StoredEvent | undefined, StoredEvent, StoredEvent | undefined]
): boolean => {
  const { content, salt, id, createdAt, previousEventHash, sequence } = record
  if (content === null || salt === null || sequence < 1) return false
  const hash = contentHash(sha256, salt, content)
  const header = { contentHash: hash, createdAt, id, previousEventHash, sequence, workspaceId }
  return (
    record.contentHash === hash &&
    record.eventHash === eventHash(sha256, header) &&
    (sequence === 1 ? previousEventHash === null : before?.eventHash === previousEventHash) &&
    (after === undefined || after.previousEventHash === record.eventHash)
  )
}

const removalIn = (content: string | null): Removal | undefined => {
  const parsed = content === null ? undefined : parseContent(content)
  return parsed === undefined ? undefined : removalOf(parsed)
}

/**
 * What the event of a sequence records. One that is not linked with its neighbours is not believed: whoever
 * takes a content away cannot put an excuse beside it without breaking the chain.
 */
const believed = Effect.fnUntraced(function* (
  log: Log,
  sha256: Sha256Shape,
  workspaceId: string,
  sequence: number
) {
  // One at a time: of large ones fewer than three may come at once.
  const found = (yield* Effect.forEach([-1, 0, 1], (step) =>
    log.scan(workspaceId, sequence + step, 1)
  )).flat()
  const at = (wanted: number) => found.find((event) => event.sequence === wanted)
  const record = at(sequence)
  return record !== undefined && isChained(sha256, workspaceId, [at(sequence - 1), record, at(sequence + 1)])
    ? removalIn(record.content)
    : undefined
})

/** The events of an action, newest first, until `isEnough` says so. */
const eachOf = Effect.fnUntraced(function* (
  log: Log,
  workspaceId: string,
  action: string,
  isEnough: (entry: LogEntry) => Effect.Effect<boolean, StorageUnavailable>
) {
  for (let before: number | null = null; ; ) {
    const page: ReadonlyArray<LogEntry> = yield* log.page(workspaceId, {
      filter: { action },
      before,
      limit: HELPING
    })
    for (const entry of page) if (yield* isEnough(entry)) return
    const last = page.at(-1)
    if (last === undefined || !mayGoOn(page, HELPING, ENOUGH_TO_LIST)) return
    before = last.createdAt
  }
})

/** How far retention has come by the newest record of it that is to be believed. */
interface RetentionOnRecord {
  /** Below which sequence contents are removed; minus infinity if it never was applied. */
  readonly below: number
  /**
   * The first sequence that the next record has to account for: that one, or the beginning where no record
   * says what it left.
   */
  readonly next: number
}

/** Reads how far retention has come. Costs a record and its neighbours. */
export const retentionOnRecord = Effect.fn("retentionOnRecord")(function* (
  log: Log,
  sha256: Sha256Shape,
  workspaceId: string
) {
  let found: RetentionOnRecord = { below: Number.NEGATIVE_INFINITY, next: FIRST_LEGACY_SEQUENCE }
  yield* eachOf(log, workspaceId, RETENTION_APPLIED, ({ sequence, content }) =>
    Effect.gen(function* () {
      if (removalIn(content) === undefined) return false
      const removal = yield* believed(log, sha256, workspaceId, sequence)
      if (removal?.type !== "retention") return false
      const { belowSequence: below, kept } = removal
      found = { below, next: kept === null ? FIRST_LEGACY_SEQUENCE : below }
      return true
    })
  )
  return found
})

/** An application of retention as it was found, before anybody has believed it. */
interface Applied {
  readonly sequence: number
  readonly removal: RetentionRemoval
}

/** Records as they were found. */
interface FoundRecords {
  readonly applied: ReadonlyArray<Applied>
  /** Which erasures say that they erased a sequence. */
  readonly erased: ReadonlyMap<number, ReadonlyArray<number>>
}

/**
 * Records that were read before, for whoever looks again and again: to read them costs a row for each that
 * there is.
 */
export interface ReadRecords {
  found: FoundRecords | undefined
}

/** Where the first of some ascending numbers stands that is not below `least`. */
const firstFrom = (ascending: ReadonlyArray<number>, least: number): number => {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Those of some ascending sequences that an application of retention is about. It accounts for events before
 * itself.
 */
const within = ({ sequence: by, removal }: Applied, ascending: ReadonlyArray<number>) =>
  ascending.slice(
    firstFrom(ascending, removal.fromSequence),
    firstFrom(ascending, Math.min(removal.belowSequence, by))
  )

/** Finds out which contents are missing by leave of the log. */
interface RemovalLookup {
  /** Looks for what is on record of the rows' missing contents. They are in ascending order. */
  readonly know: (
    rows: ReadonlyArray<Pick<StoredEvent, "sequence" | "content">>
  ) => Effect.Effect<void, StorageUnavailable>
  /** Answers for the rows that `know` was given last. */
  readonly isRemoved: IsRemoved
}

/**
 * Looks for what is on record of contents that are missing. A content that a record of retention names as
 * kept was not removed, whatever another record says.
 *
 * The records are read when the first content is missing, and again when one is that none of them accounts
 * for: it may have gone since. Those that concern what is missing cost three rows each, once.
 */
export const removalLookup = (
  log: Log,
  sha256: Sha256Shape,
  workspaceId: string,
  records: ReadRecords = { found: undefined }
): RemovalLookup => {
  const beliefs = new Map<number, Removal>()
  let removed: ReadonlySet<number> = new Set()

  const read = Effect.gen(function* () {
    const applied: Array<Applied> = []
    const erased = new Map<number, Array<number>>()
    for (const action of [RETENTION_APPLIED, EVENT_ERASED]) {
      yield* eachOf(log, workspaceId, action, ({ sequence, content }) => {
        const removal = removalIn(content)
        if (removal?.type === "retention") applied.push({ sequence, removal })
        for (const one of removal?.type === "erasure" ? removal.sequences : []) {
          const others = erased.get(one)
          if (others === undefined) erased.set(one, [sequence])
          else others.push(sequence)
        }
        return Effect.succeed(false)
      })
    }
    records.found = { applied, erased }
    return records.found
  })

  const believe = Effect.fnUntraced(function* (sequence: number) {
    const known = beliefs.get(sequence)
    if (known !== undefined) return known
    const removal = yield* believed(log, sha256, workspaceId, sequence)
    if (removal !== undefined) beliefs.set(sequence, removal)
    return removal
  })

  /** Those of the missing that some records account for. */
  const accounted = Effect.fnUntraced(function* (
    { applied, erased }: FoundRecords,
    missing: ReadonlyArray<number>
  ) {
    const gone = new Set<number>()
    const kept = new Set<number>()
    for (const record of applied) {
      const { sequence } = record
      const about = within(record, missing)
      const saysMore = record.removal.kept !== null
      if (about.length === 0 || (!saysMore && about.every((one) => gone.has(one)))) continue
      const removal = yield* believe(sequence)
      if (removal?.type !== "retention") continue
      for (const one of within({ sequence, removal }, missing)) gone.add(one)
      for (const one of removal.kept ?? []) if (one < sequence) kept.add(one)
    }
    for (const one of missing) {
      for (const by of gone.has(one) ? [] : (erased.get(one) ?? [])) {
        const removal = one < by ? yield* believe(by) : undefined
        if (removal?.type === "erasure" && removal.sequences.includes(one)) gone.add(one)
      }
    }
    for (const one of kept) gone.delete(one)
    return gone
  })

  const know: RemovalLookup["know"] = Effect.fnUntraced(function* (rows) {
    const missing = rows.flatMap(({ sequence, content }) => (content === null ? [sequence] : []))
    if (missing.length === 0) {
      removed = new Set()
      return
    }
    removed = yield* accounted(records.found ?? (yield* read), missing)
    if (removed.size < missing.length) removed = yield* accounted(yield* read, missing)
  })

  return { know, isRemoved: (sequence) => removed.has(sequence) }
}
