/**
 * Events of each log that its consumers have reached, stored with their positions: they show how much of the
 * log is still the one that was consumed. Because of the hash chain, each mark stands for all events before
 * it.
 *
 * Slot n holds the newest of every 2^n-th mark, so that a log has few marks, and for any time one that is
 * about that old.
 */
import type { Preparing } from "./SqliteClient.ts"

const MAX_SLOT = 40

const slotOf = (ordinal: number): number => {
  let slot = 0
  for (let rest = ordinal; rest % 2 === 0 && slot < MAX_SLOT; rest /= 2) slot++
  return slot
}

/**
 * Counts a commit and records the event that it reached, if no commit has reached as far, within the
 * consumers' open transaction.
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
