/**
 * Ends of logs that one of the files has a record of and the log lacks. They are added to what counts as
 * signed before anything is repaired, and so before a file loses its record: a checkpoint may have been
 * signed for each.
 *
 * | file | what it remembers of a log |
 * |---|---|
 * | inbox | the last event that was appended |
 * | consumers | the furthest event that a consumer has come to |
 * | search | the newest event that the log had when the index followed it |
 *
 * Because of the hash chain, one event of each file is enough. A process that is killed in between leaves
 * either nothing or a row that is found again.
 */
import {
  decodeSigned,
  encodeSigned,
  isLostEnd,
  type SeenEnd,
  SIGNED_CONSUMER,
  SIGNED_KEY,
  type SignedSize,
  withLostEnd,
  withoutLostEnd
} from "@cairn/core/checkpoint"
import { Option } from "effect"
import { transaction } from "./Append.ts"
import { seenLogs } from "./InboxFindings.ts"
import { type FileFinding, markAt } from "./SeenFiles.ts"
import type { Preparing, SqliteDatabase } from "./SqliteClient.ts"

/** The files with records, and the log. */
interface Remembering {
  readonly log: Opened
  readonly inbox: Opened
  readonly consumers: Opened
  readonly search: Opened
}

type Opened = Pick<SqliteDatabase, "db" | "prepare">

/** Where the log of a workspace ended. */
interface WorkspaceEnd extends SeenEnd {
  readonly workspaceId: string
}

const inboxEnds = (inbox: Preparing): ReadonlyArray<WorkspaceEnd> =>
  seenLogs(inbox).filter(({ eventHash }) => eventHash !== null)

const endOf = (row: Readonly<Record<string, unknown>>): WorkspaceEnd => ({
  workspaceId: String(row.workspace_id),
  sequence: Number(row.sequence),
  eventHash: row.mark === null ? null : String(row.mark)
})

const consumersEnds = ({ prepare }: Preparing): ReadonlyArray<WorkspaceEnd> => [
  // SQLite takes the other columns from the row with the maximum.
  ...prepare("SELECT workspace_id, max(sequence) AS sequence, mark FROM log_mark GROUP BY workspace_id")
    .all()
    .map(endOf),
  ...prepare(
    "SELECT workspace_id, max(sequence) AS sequence, NULL AS mark FROM consumer WHERE name <> ? GROUP BY workspace_id"
  )
    .all(SIGNED_CONSUMER)
    .map(endOf)
]

const searchEnds = (log: Preparing, search: Preparing): ReadonlyArray<WorkspaceEnd> => {
  const id = log.prepare("SELECT id AS workspace_id FROM workspace WHERE number = ?")
  return search
    .prepare("SELECT workspace, seen AS sequence, mark FROM search_position WHERE seen IS NOT NULL")
    .all()
    .flatMap((row) => {
      const of = id.get(Number(row.workspace))
      return of === undefined ? [] : [endOf({ ...row, ...of })]
    })
}

/** Whether an event is in the log; if its hash is not known, whether there were at least that many events. */
const isHeld = (log: Preparing, { workspaceId, sequence, eventHash }: WorkspaceEnd): boolean => {
  const head = log
    .prepare("SELECT number, sequence FROM workspace JOIN head ON head.workspace = number WHERE id = ?")
    .get(workspaceId)
  if (head === undefined) return false
  return eventHash === null
    ? Number(head.sequence) >= sequence
    : markAt(log, Number(head.number), sequence) === eventHash
}

/** The former and the present record of what was signed for a log. */
interface Change {
  readonly workspaceId: string
  readonly after: SignedSize | undefined
}

/** What the files that are there remember of how far logs went; `attempt` decides what becomes of errors. */
export const rememberedEnds = (
  { log, inbox, consumers, search }: { readonly [Name in keyof Remembering]: Preparing | undefined },
  attempt: (read: () => ReadonlyArray<WorkspaceEnd>) => ReadonlyArray<WorkspaceEnd>
): ReadonlyArray<WorkspaceEnd> => [
  ...(inbox === undefined ? [] : attempt(() => inboxEnds(inbox))),
  ...(consumers === undefined ? [] : attempt(() => consumersEnds(consumers))),
  ...(log === undefined || search === undefined ? [] : attempt(() => searchEnds(log, search)))
]

const changes = (files: Remembering, known: ReadonlyArray<WorkspaceEnd> = []): ReadonlyArray<Change> => {
  const { log, consumers } = files
  // The other files are read before the log, which only grows.
  const ends = [...rememberedEnds(files, (read) => read()), ...known]
  const rows = consumers
    .prepare("SELECT workspace_id, value FROM consumer_row WHERE consumer = ? AND key = ?")
    .all(SIGNED_CONSUMER, SIGNED_KEY)
  const signed = new Map(
    rows.map(({ workspace_id, value }) => [
      String(workspace_id),
      Option.getOrUndefined(decodeSigned(String(value)))
    ])
  )
  const changed = new Map<string, SignedSize | undefined>()
  const put = (workspaceId: string, before: SignedSize | undefined, after: SignedSize | undefined) => {
    if (after === before) return
    signed.set(workspaceId, after)
    changed.set(workspaceId, after)
  }
  for (const [workspaceId, one] of Array.from(signed)) {
    if (one === undefined || one.lost || !isLostEnd(one) || one.event_hash === null) continue
    const end = { workspaceId, sequence: one.size, eventHash: one.event_hash }
    // The right log was restored after all.
    const isBack = one.furthest === one.size && isHeld(log, end)
    if (isBack) put(workspaceId, one, withoutLostEnd(one))
  }
  for (const end of ends) {
    if (end.sequence < 1 || isHeld(log, end)) continue
    const before = signed.get(end.workspaceId)
    put(end.workspaceId, before, withLostEnd(before, end))
  }
  return Array.from(changed, ([workspaceId, after]) => ({ workspaceId, after }))
}

const store = ({ prepare }: Preparing, { workspaceId, after }: Change): void => {
  const key = [workspaceId, SIGNED_CONSUMER, SIGNED_KEY] as const
  if (after === undefined)
    prepare("DELETE FROM consumer_row WHERE workspace_id = ? AND consumer = ? AND key = ?").run(...key)
  else
    prepare(`
      INSERT INTO consumer_row (workspace_id, consumer, key, value, expires_at) VALUES (?, ?, ?, ?, NULL)
      ON CONFLICT (workspace_id, consumer, key) DO UPDATE SET value = excluded.value`).run(
      ...key,
      encodeSigned(after)
    )
  // Not created if it is missing: a file is known to be in use by its positions.
  prepare("UPDATE consumer SET sequence = ?, version = version + 1 WHERE workspace_id = ? AND name = ?").run(
    after?.size ?? 0,
    workspaceId,
    SIGNED_CONSUMER
  )
  prepare("UPDATE consumers_file SET commits = commits + 1").run()
}

/**
 * Records ends that are known from another database, and losses that were accepted there, of the workspaces
 * that this one has.
 */
export const carryEnds = (
  files: Remembering,
  ends: ReadonlyArray<WorkspaceEnd>,
  accepted: ReadonlyMap<string, SignedSize>
): void => {
  const { log, consumers } = files
  const workspace = log.prepare("SELECT 1 FROM workspace WHERE id = ?")
  const isHere = (workspaceId: string) => workspace.get(workspaceId) !== undefined
  const signed = consumers.prepare(
    "SELECT value FROM consumer_row WHERE workspace_id = ? AND consumer = ? AND key = ?"
  )
  const furthest = (workspaceId: string): number => {
    const value = signed.get(workspaceId, SIGNED_CONSUMER, SIGNED_KEY)?.value
    return Option.match(decodeSigned(value), { onNone: () => 0, onSome: (one) => one.furthest })
  }
  transaction(consumers, () => {
    for (const [workspaceId, after] of accepted)
      if (isHere(workspaceId) && after.furthest > furthest(workspaceId))
        store(consumers, { workspaceId, after })
    const here = ends.filter(({ workspaceId }) => isHere(workspaceId))
    for (const each of changes(files, here)) store(consumers, each)
  })
}

const MESSAGE =
  "A log no longer has events that it once had: no checkpoint of it is signed, and verifications say so, until cairn recover --accept-loss"

/**
 * Checks, and records lost ends. If nothing is wrong, it costs one look-up in the log for each file and
 * workspace.
 */
export const keepLostEnds = (files: Remembering): ReadonlyArray<FileFinding> => {
  const { log, consumers } = files
  if (changes(files).length === 0) return []
  return transaction(consumers, () => {
    const all = changes(files)
    for (const each of all) store(consumers, each)
    const head = log.prepare(
      "SELECT sequence FROM workspace JOIN head ON head.workspace = number WHERE id = ?"
    )
    return all.flatMap(({ workspaceId, after }): ReadonlyArray<FileFinding> => {
      if (after === undefined) return []
      const found = head.get(workspaceId)?.sequence
      const detail = {
        workspaceId,
        heldUpTo: after.size,
        logEndsAt: found === undefined ? null : Math.max(0, Number(found))
      }
      return [{ file: "log", message: MESSAGE, detail }]
    })
  })
}
