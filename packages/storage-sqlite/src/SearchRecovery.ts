/**
 * Whether the search index belongs to this log: the events that it has seen must exist. An index of
 * another history would hide new events, so it is emptied and follows the log from its beginning, while
 * searches scan what it lacks.
 */
import { Effect } from "effect"
import { transaction } from "./Append.ts"
import {
  type FileFinding,
  holdsEvents,
  markAt,
  noteFile,
  type SeenFile,
  searchState,
  seenFile
} from "./SeenFiles.ts"
import type { SqliteDatabase } from "./SqliteClient.ts"

const finding = (message: string): FileFinding => ({ file: "search", message, detail: {} })

const GONE = finding("The search index is gone: it is rebuilt, and searches are slow until it has caught up")
const OTHER = finding(
  "The search index is another one, not the one that was in use with this log: it is rebuilt, and searches are slow until it has caught up"
)
const AHEAD = finding(
  "The search index is ahead of the log, or of another one: it is rebuilt, and searches are slow until it has caught up"
)

const OLDER = finding(
  "The search index has gone back in time, and may hold contents that were removed since: it is rebuilt, and searches are slow until it has caught up"
)

const isEmpty = ({ prepare }: SqliteDatabase): boolean =>
  prepare("SELECT 1 FROM search_position LIMIT 1").get() === undefined

/** Whether the index has seen an event that the log lacks. */
const isAhead = (log: SqliteDatabase, search: SqliteDatabase): boolean =>
  search
    .prepare("SELECT workspace, coalesce(seen, sequence) AS sequence, mark FROM search_position")
    .all()
    .some(({ workspace, sequence, mark }) => {
      const found = markAt(log, Number(workspace), Number(sequence))
      return found === undefined || (mark !== null && found !== mark)
    })

const look = (log: SqliteDatabase, search: SqliteDatabase): FileFinding | undefined => {
  // The index is read before the log, which only grows.
  const { identity, progress } = searchState(search)
  const ahead = isAhead(log, search)
  const known: SeenFile | undefined = seenFile(log, "search")
  if (known !== undefined && known.identity !== identity && (holdsEvents(log) || !isEmpty(search)))
    return isEmpty(search) ? GONE : OTHER
  if (ahead) return AHEAD
  return known !== undefined && known.progress > progress ? OLDER : undefined
}

const empty = ({ prepare }: SqliteDatabase): void => {
  for (const table of ["search_frame", "search_part", "search_posting", "search_order", "search_position"])
    prepare(`DELETE FROM ${table}`).run()
}

/**
 * Empties the index, within its open transaction, if it lacks a removal that the log had; says so. A process
 * was killed between the two commits: what it removed is still in the index, which would not show any more
 * once the next removal is counted.
 */
export const emptyIfBehind = (log: SqliteDatabase, search: SqliteDatabase): Effect.Effect<void> =>
  Effect.suspend(() => {
    const known = seenFile(log, "search")?.progress ?? 0
    if (known <= searchState(search).progress) return Effect.void
    empty(search)
    search.prepare("UPDATE search_file SET removals = ?").run(known)
    return Effect.logError(OLDER.message)
  })

/** Checks, and empties the index if it does not belong to this log. */
export const recoverSearch = (log: SqliteDatabase, search: SqliteDatabase): ReadonlyArray<FileFinding> => {
  const isKnown = seenFile(log, "search")?.identity === searchState(search).identity
  if (isKnown && look(log, search) === undefined) return []
  // In the same order as a removal: the index's lock, then the log's.
  return transaction(search, () => {
    const found = look(log, search)
    if (found !== undefined) empty(search)
    transaction(log, () => noteFile(log, "search", searchState(search)))
    return found === undefined ? [] : [found]
  })
}
