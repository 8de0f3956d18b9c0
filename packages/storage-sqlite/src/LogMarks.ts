/**
 * Events of each log that its consumers have come to, kept beside their positions: they tell how much of the
 * log is still the one that was consumed. The hash chain makes each mark stand for all events before it.
 *
 * Slot n holds the newest of every 2^n-th mark, so that a log has few of them, and one that is about as old
 * as any moment asked for.
 */
import type { Preparing } from "./SqliteClient.ts"

const MAX_SLOT = 40

const slotOf = (ordinal: number): number => {
  let slot = 0
  for (let rest = ordinal; rest % 2 === 0 && slot < MAX_SLOT; rest /= 2) slot++
  return slot
}

/**
 * Counts a commit, and notes the event that it came to if none has come so far, within the consumers' open
 * transaction.
 */
export const noteCommit = (
  { prepare }: Preparing,
  workspaceId: string,
  sequence: number,
  mark: () => string | undefined
): void => {
  prepare("UPDATE consumers_file SET commits = commits + 1").run()
  const newest = prepare(
    "SELECT max(ordinal) AS ordinal, max(sequence) AS sequence FROM log_mark WHERE workspace_id = ?"
  ).get(workspaceId)
  if (newest?.sequence != null && sequence <= Number(newest.sequence)) return
  const found = mark()
  if (found === undefined) return
  const ordinal = Number(newest?.ordinal ?? 0) + 1
  prepare(
    "INSERT OR REPLACE INTO log_mark (workspace_id, slot, ordinal, sequence, mark) VALUES (?, ?, ?, ?, ?)"
  ).run(workspaceId, slotOf(ordinal), ordinal, sequence, found)
}
