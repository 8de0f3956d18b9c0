/** Where the logs of a database end. */
import { DatabaseSync } from "node:sqlite"

/** The end of one log. */
export interface LogHead {
  readonly workspace_id: string
  /** Events of the chain; legacy events are not among them. */
  readonly size: number
  /** All of its events, legacy events too. */
  readonly events: number
  /** Hash of the last one; null for an empty log. */
  readonly head: string | null
}

/** The ends of all logs in a file, by the ids of their workspaces. */
export const logHeads = (filename: string): ReadonlyArray<LogHead> => {
  const log = new DatabaseSync(filename, { readOnly: true })
  try {
    return log
      .prepare(
        "SELECT id, sequence, sequence + legacy_count AS events, event_hash FROM workspace JOIN head ON head.workspace = workspace.number ORDER BY id"
      )
      .all()
      .map(({ id, sequence, events, event_hash }) => ({
        workspace_id: String(id),
        size: Number(sequence),
        events: Number(events),
        head: event_hash === null ? null : String(event_hash)
      }))
  } finally {
    log.close()
  }
}
