/** What a log itself says of contents that it has removed, as far as it is to be believed. */
import { Effect } from "effect"
import { parseContent } from "./EventContent.ts"
import { contentHash, eventHash } from "./EventHash.ts"
import type { EventLogShape, LogEntry, StoredEvent } from "./EventLog.ts"
import { EVENT_ERASED, RETENTION_APPLIED, type Removal, removalOf } from "./Removal.ts"
import type { Sha256Shape } from "./Sha256.ts"

/** Records read at a time. */
const HELPING = 1_000

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

/**
 * Reads what was removed. A record that is not linked with its neighbours is not believed: whoever takes a content away cannot put an excuse
 * beside it without breaking the chain. Costs three rows for each erasure, and for the newest application of retention.
 */
export const readRemovals = Effect.fn("readRemovals")(function* (
  log: Pick<EventLogShape, "page" | "scan">,
  sha256: Sha256Shape,
  workspaceId: string
) {
  /** What an entry records, if it is chained. */
  const believed = Effect.fnUntraced(function* ({ sequence, content }: LogEntry) {
    const parsed = content === null ? undefined : parseContent(content)
    const removal = parsed === undefined ? undefined : removalOf(parsed)
    if (removal === undefined) return undefined
    const found = yield* log.scan(workspaceId, sequence - 1, 3)
    const at = (wanted: number) => found.find((event) => event.sequence === wanted)
    const record = at(sequence)
    const chained =
      record !== undefined &&
      record.content === content &&
      isChained(sha256, workspaceId, [at(sequence - 1), record, at(sequence + 1)])
    return chained ? removal : undefined
  })

  /** Each record of an action, newest first, until `show` has seen enough. */
  const each = Effect.fnUntraced(function* (action: string, show: (removal: Removal) => boolean) {
    for (let before: number | null = null; ; ) {
      const page: ReadonlyArray<LogEntry> = yield* log.page(workspaceId, {
        filter: { action },
        before,
        limit: HELPING
      })
      for (const entry of page) {
        const removal = yield* believed(entry)
        if (removal !== undefined && show(removal)) return
      }
      const last = page.at(-1)
      if (last === undefined || page.length < HELPING) return
      before = last.createdAt
    }
  })

  let below = Number.NEGATIVE_INFINITY
  // Each application of retention goes further than the one before.
  yield* each(RETENTION_APPLIED, (removal) => {
    if (removal.type === "retention") below = removal.belowSequence
    return true
  })
  const erased = new Set<number>()
  yield* each(EVENT_ERASED, (removal) => {
    for (const sequence of removal.type === "erasure" ? removal.sequences : []) erased.add(sequence)
    return false
  })
  const isRemoved: IsRemoved = (sequence) => sequence < below || erased.has(sequence)
  return { below, isRemoved }
})
