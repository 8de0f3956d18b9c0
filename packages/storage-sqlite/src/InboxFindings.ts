/**
 * Whether the inbox and the log are from the same time. Each keeps a mark of the other: the log stores the
 * inbox's epoch and newest row, the inbox stores the hash of the last event of each log that it handed over.
 * Because of the hash chain one mark is enough: if an event is there, so is everything before it.
 */

import { hasKeys } from "./IdempotencyKeys.ts"
import { type FileFinding, holdsEvents, inboxState, markAt, seenFile } from "./SeenFiles.ts"
import type { Preparing } from "./SqliteClient.ts"

/** A log according to the inbox. */
export interface SeenLog {
  readonly workspace: number
  readonly workspaceId: string
  readonly sequence: number
  readonly eventHash: string | null
}

/** The logs that the inbox has records of. */
export const seenLogs = ({ prepare }: Preparing): ReadonlyArray<SeenLog> =>
  prepare("SELECT workspace, workspace_id, sequence, event_hash FROM log_seen ORDER BY workspace")
    .all()
    .map((row) => ({
      workspace: Number(row.workspace),
      workspaceId: String(row.workspace_id),
      sequence: Number(row.sequence),
      eventHash: row.event_hash === null ? null : String(row.event_hash)
    }))

/** Whether the workspace exists, with the same number. */
export const isThere = ({ prepare }: Preparing, { workspace, workspaceId }: SeenLog): boolean =>
  prepare("SELECT id FROM workspace WHERE number = ?").get(workspace)?.id === workspaceId

/** Whether the log still matches the inbox's record. */
export const isAsSeen = (log: Preparing, seen: SeenLog): boolean =>
  isThere(log, seen) &&
  (seen.eventHash === null || markAt(log, seen.workspace, seen.sequence) === seen.eventHash)

const logFindings = (log: Preparing, seen: ReadonlyArray<SeenLog>): ReadonlyArray<FileFinding> => {
  const head = log.prepare("SELECT sequence FROM head WHERE workspace = ?")
  return seen
    .filter((each) => !isAsSeen(log, each))
    .map((each) => {
      const found = isThere(log, each) ? Number(head.get(each.workspace)?.sequence ?? 0) : null
      return {
        file: "log",
        message:
          "The log has gone back in time: events that were appended are not in it any more. Their idempotency keys are free again, and " +
          "checkpoints, anchors and exports that were made of them do not agree with this log",
        detail: { workspaceId: each.workspaceId, appendedUpTo: each.sequence, logEndsAt: found }
      }
    })
}

const GONE =
  "The inbox is gone: what waited in it is lost, and the idempotency keys are read again from the log"
const OTHER =
  "The inbox is another one, not the one that was in use with this log: what it lacks is lost, and its idempotency keys are compared with the log"
const BEHIND =
  "The inbox has gone back in time: requests that neither it nor the log has are lost, and its idempotency keys are compared with the log"

/** The log's record of the inbox. The log is read first, because the inbox only grows. */
const fileFindings = (log: Preparing, inbox: Preparing): ReadonlyArray<FileFinding> => {
  const known = seenFile(log, "inbox")
  const heads = log
    .prepare(
      "SELECT inbox_epoch, max(inbox_id) AS inbox_id FROM head WHERE inbox_epoch IS NOT NULL GROUP BY 1"
    )
    .all()
  const hasEvents = holdsEvents(log)
  const { identity, progress } = inboxState(inbox)
  const isFresh = progress === 0 && !hasKeys(inbox)
  const finding = (message: string, newestKnown: number | null): ReadonlyArray<FileFinding> => [
    { file: "inbox", message, detail: { newestRequest: progress, newestKnown } }
  ]
  if (known === undefined) {
    // For a database that an older version has written, or that was copied from another.
    const own = heads.find(({ inbox_epoch }) => inbox_epoch === identity)
    if (own === undefined) {
      if (heads.length === 0) return []
      // An inbox with records of logs was once recorded by its log: this one belongs to another log, or to an
      // older state.
      const isOther =
        inbox.prepare("SELECT 1 FROM log_seen WHERE event_hash IS NOT NULL LIMIT 1").get() !== undefined
      return isFresh ? finding(GONE, null) : isOther ? finding(OTHER, null) : []
    }
    return Number(own.inbox_id) > progress ? finding(BEHIND, Number(own.inbox_id)) : []
  }
  if (known.identity !== identity) {
    if (!hasEvents && isFresh) return []
    return finding(isFresh ? GONE : OTHER, known.progress)
  }
  const passed = heads.find(({ inbox_epoch }) => inbox_epoch === identity)
  const newestKnown = Math.max(known.progress, Number(passed?.inbox_id ?? 0))
  return newestKnown > progress ? finding(BEHIND, newestKnown) : []
}

/**
 * The mismatches between log and inbox; none in a healthy database. Costs one look-up in the log for each
 * workspace.
 */
export const inboxFindings = (log: Preparing, inbox: Preparing): ReadonlyArray<FileFinding> => {
  // The inbox's record of the log is read before the log, which only grows.
  const seen = seenLogs(inbox)
  return [...fileFindings(log, inbox), ...logFindings(log, seen)]
}
