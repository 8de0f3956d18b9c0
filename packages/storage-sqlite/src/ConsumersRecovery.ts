/**
 * Whether the consumers' file belongs to this log. Consumers that are ahead of the log, or at events of
 * another history, go back to the last event on which they and the log agree. Alerts, whose state depends on
 * events, begin again: alerts that exist are known by their ids, and nobody is notified of them again.
 */
import { ALERT_CONSUMER } from "@cairn/core/alert"
import { SIGNED_CONSUMER } from "@cairn/core/checkpoint"
import { BEFORE_FIRST_EVENT } from "@cairn/core/consumer"
import { transaction } from "./Append.ts"
import { consumersState, type FileFinding, holdsEvents, markAt, noteFile, seenFile } from "./SeenFiles.ts"
import type { SqliteDatabase } from "./SqliteClient.ts"

const GONE =
  "The consumers' file is gone: alerts, messages and positions are lost. Alerts are raised and sent again, and log streams are sent from their beginning"
const OTHER =
  "The consumers' file is another one, not the one that was in use with this log: consumers continue from the positions in it"
const BEHIND =
  "The consumers' file has gone back in time: consumers continue from their older positions, and what was sent since is sent again"
const AHEAD =
  "The consumers were ahead of the log, or of another one, and go on from the last event that is the same: what they made of others stays"

/** A log that does not have the events at the consumers' positions. */
interface Unlike {
  readonly workspaceId: string
  /** The last event that both have. */
  readonly agreed: number
  /** The furthest position of a consumer. */
  readonly furthest: number
  /** The largest size of a recorded checkpoint; null if there is none. */
  readonly signedUpTo: number | null
}

/** The record of what was signed is not a position: it stays, whatever the log has. */
const signedUpTo = ({ prepare }: SqliteDatabase, workspaceId: string): number | null => {
  const row = prepare("SELECT sequence FROM consumer WHERE workspace_id = ? AND name = ?").get(
    workspaceId,
    SIGNED_CONSUMER
  )
  return row === undefined ? null : Number(row.sequence)
}

/**
 * The logs that differ from those that were consumed. The consumers are read first, because the log only
 * grows.
 */
const unlikeLogs = (log: SqliteDatabase, consumers: SqliteDatabase): ReadonlyArray<Unlike> => {
  const positions = consumers
    .prepare(
      "SELECT workspace_id, coalesce(max(sequence) FILTER (WHERE name <> ?), 0) AS furthest FROM consumer GROUP BY workspace_id"
    )
    .all(SIGNED_CONSUMER)
  const marks = consumers
    .prepare("SELECT workspace_id, sequence, mark FROM log_mark ORDER BY workspace_id, sequence DESC")
    .all()
  return positions.flatMap(({ workspace_id, furthest }) => {
    const workspaceId = String(workspace_id)
    const head = log
      .prepare("SELECT number, sequence FROM workspace JOIN head ON head.workspace = number WHERE id = ?")
      .get(workspaceId)
    // A workspace that the log lacks has no position to return to.
    if (head === undefined) return []
    const number = Number(head.number)
    const own = marks.filter((each) => each.workspace_id === workspaceId)
    const agreed = own.find(({ sequence, mark }) => markAt(log, number, Number(sequence)) === mark)
    const end = Math.max(0, Number(head.sequence))
    // Without a mark only the log's length is known.
    const isLike = own.length === 0 || agreed === own[0]
    if (isLike && Number(furthest) <= end) return []
    const last = isLike ? end : Number(agreed?.sequence ?? BEFORE_FIRST_EVENT)
    return [
      {
        workspaceId,
        agreed: last,
        furthest: Number(furthest),
        signedUpTo: signedUpTo(consumers, workspaceId)
      }
    ]
  })
}

/** Moves the consumers of a log back. */
const moveBack = ({ prepare }: SqliteDatabase, { workspaceId, agreed }: Unlike): void => {
  const alerts = prepare("SELECT sequence FROM consumer WHERE workspace_id = ? AND name = ?").get(
    workspaceId,
    ALERT_CONSUMER
  )
  if (alerts !== undefined && Number(alerts.sequence) > agreed) {
    prepare("DELETE FROM consumer_row WHERE workspace_id = ? AND consumer = ?").run(
      workspaceId,
      ALERT_CONSUMER
    )
    prepare(
      "UPDATE consumer SET sequence = ?, version = version + 1 WHERE workspace_id = ? AND name = ?"
    ).run(BEFORE_FIRST_EVENT, workspaceId, ALERT_CONSUMER)
  }
  prepare(
    "UPDATE consumer SET sequence = ?, version = version + 1 WHERE workspace_id = ? AND sequence > ? AND name <> ?"
  ).run(agreed, workspaceId, agreed, SIGNED_CONSUMER)
  prepare("DELETE FROM log_mark WHERE workspace_id = ? AND sequence > ?").run(workspaceId, agreed)
}

/** What the log knows about the file. */
const fileFinding = (log: SqliteDatabase, consumers: SqliteDatabase): FileFinding | undefined => {
  const known = seenFile(log, "consumers")
  const { identity, progress } = consumersState(consumers)
  if (known === undefined) return undefined
  const finding = (message: string): FileFinding => ({
    file: "consumers",
    message,
    detail: { progress, progressKnown: known.progress }
  })
  if (known.identity === identity) return known.progress > progress ? finding(BEHIND) : undefined
  const isFresh = consumers.prepare("SELECT 1 FROM consumer LIMIT 1").get() === undefined
  if (isFresh) return holdsEvents(log) ? finding(GONE) : undefined
  return finding(OTHER)
}

/** Checks, and moves consumers back whose position is at no event of this log. */
export const recoverConsumers = (
  log: SqliteDatabase,
  consumers: SqliteDatabase
): ReadonlyArray<FileFinding> => {
  const isKnown = seenFile(log, "consumers")?.identity === consumersState(consumers).identity
  const isWell = isKnown && fileFinding(log, consumers) === undefined
  if (isWell && unlikeLogs(log, consumers).length === 0) return []
  return transaction(consumers, () => {
    const unlike = unlikeLogs(log, consumers)
    const findings: Array<FileFinding> = unlike.map(({ workspaceId, agreed, furthest, signedUpTo }) => ({
      file: "consumers",
      message: AHEAD,
      detail: { workspaceId, agreedUpTo: agreed, furthest, signedUpTo }
    }))
    for (const each of unlike) moveBack(consumers, each)
    transaction(log, () => {
      const found = fileFinding(log, consumers)
      if (found !== undefined) findings.unshift(found)
      noteFile(log, "consumers", consumersState(consumers))
    })
    return findings
  })
}
