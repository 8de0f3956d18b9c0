/** The log's own records of removed contents, as far as they can be trusted. */
import { Effect } from "effect"
import { parseContent } from "../event/EventContent.ts"
import { contentHash, eventHash } from "../event/EventHash.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { type EventLogShape, FIRST_LEGACY_SEQUENCE, type LogEntry } from "./EventLog.ts"
import { ENOUGH_TO_LIST, mayGoOn } from "./ReadingBound.ts"
import { EVENT_ERASED, RETENTION_APPLIED, type Removal, type RetentionRemoval, removalOf } from "./Removal.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** Records read at once. */
const CHUNK = 1_000

type Log = Pick<EventLogShape, "page" | "entries">

/** Whether the log records that the content of this sequence was removed. */
export type IsRemoved = (sequence: number) => boolean

/** Whether a record is what was chained: its content has its hash, and its neighbours link to it. */
const isChained = (
  sha256: Sha256Shape,
  workspaceId: string,
  [before, record, after]: readonly [LogEntry | undefined, LogEntry, LogEntry | undefined]
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
 * What the event of a sequence records. An event that is not linked with its neighbours is not trusted:
 * nobody can remove a content and add a record of its removal without breaking the chain.
 */
const believed = Effect.fnUntraced(function* (
  log: Log,
  sha256: Sha256Shape,
  workspaceId: string,
  sequence: number
) {
  // One at a time: if events are large, one read may return fewer than three.
  const found = (yield* Effect.forEach([-1, 0, 1], (step) =>
    log.entries(workspaceId, sequence + step, 1)
  )).flat()
  const at = (wanted: number) => found.find((event) => event.sequence === wanted)
  const record = at(sequence)
  return record !== undefined && isChained(sha256, workspaceId, [at(sequence - 1), record, at(sequence + 1)])
    ? removalIn(record.content)
    : undefined
})

/** The events of an action, newest first, until `isEnough` returns true. */
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
      limit: CHUNK
    })
    for (const entry of page) if (yield* isEnough(entry)) return
    const last = page.at(-1)
    if (last === undefined || !mayGoOn(page, CHUNK, ENOUGH_TO_LIST)) return
    before = last.createdAt
  }
})

/** How far retention has removed contents, according to its newest trusted record. */
interface RetentionOnRecord {
  /** Contents below this sequence are removed; minus infinity if retention was never applied. */
  readonly below: number
  /**
   * The first sequence that the next record must cover: the same one, or the beginning of the log if no
   * record names its exceptions.
   */
  readonly next: number
}

/** Reads how far retention has removed contents. Costs reading one record and its neighbours. */
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

/** An application of retention as it was found, not yet checked. */
interface Applied {
  readonly sequence: number
  readonly removal: RetentionRemoval
}

/**
 * Records as they were found, not yet checked. Passed to repeated checks, because reading them costs one row
 * for each record.
 */
export interface FoundRecords {
  readonly applied: ReadonlyArray<Applied>
  /** The erasures that name a sequence. */
  readonly erased: ReadonlyMap<number, ReadonlyArray<number>>
}

/** The index of the first number that is at least `least`, in ascending numbers. */
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
 * The sequences, of some ascending ones, that an application of retention covers. It covers only events
 * before itself.
 */
const within = ({ sequence: by, removal }: Applied, ascending: ReadonlyArray<number>) =>
  ascending.slice(
    firstFrom(ascending, removal.fromSequence),
    firstFrom(ascending, Math.min(removal.belowSequence, by))
  )

/** Finds which missing contents the log records as removed. */
interface RemovalLookup {
  /** Looks up the records of the rows' missing contents. The rows must be in ascending order. */
  readonly know: (
    rows: ReadonlyArray<Pick<LogEntry, "sequence" | "content">>
  ) => Effect.Effect<void, StorageUnavailable>
  /** The result for the rows that were last passed to `know`. */
  readonly isRemoved: IsRemoved
  /** The records as far as they were read, for the next look-up in the same log. */
  readonly records: () => FoundRecords | undefined
}

/**
 * Looks up the records of missing contents. A content that a record of retention names as kept was not
 * removed, whatever another record says.
 *
 * The records are read when the first content is missing, and again when a missing content is in none of
 * them: it may have been removed since. Each record that concerns a missing content costs three rows, once.
 */
export const removalLookup = (
  log: Log,
  sha256: Sha256Shape,
  workspaceId: string,
  readBefore?: FoundRecords
): RemovalLookup => {
  let records = readBefore
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
    const found: FoundRecords = { applied, erased }
    records = found
    return found
  })

  const believe = Effect.fnUntraced(function* (sequence: number) {
    const known = beliefs.get(sequence)
    if (known !== undefined) return known
    const removal = yield* believed(log, sha256, workspaceId, sequence)
    if (removal !== undefined) beliefs.set(sequence, removal)
    return removal
  })

  /** The missing sequences that some records cover. */
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
    removed = yield* accounted(records ?? (yield* read), missing)
    if (removed.size < missing.length) removed = yield* accounted(yield* read, missing)
  })

  return { know, isRemoved: (sequence) => removed.has(sequence), records: () => records }
}
