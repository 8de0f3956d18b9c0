/**
 * What the log's file knows about the other files: which ones they were, and their positions, when they were
 * last used together. A file that is different or further behind was created again, exchanged or restored
 * from a copy, and stored positions in it are not valid.
 *
 * | file | its identity | its progress |
 * |---|---|---|
 * | inbox | the epoch | the number of its newest row |
 * | consumers | made with the file | commits, messages and attempts so far |
 * | search | made with the file | removals of contents, which an older index still holds |
 *
 * The records are written in the transaction of an append or of a removal, which waits for the disk anyway.
 * What is recorded about a file was durable in it before.
 */
import type { Preparing } from "./SqliteClient.ts"

/** The files other than the log's. */
export type SiblingName = "inbox" | "search" | "consumers"

/** What is known of a file. */
export interface SeenFile {
  readonly identity: string
  readonly progress: number
}

/** The record of a file; `undefined` if it was never used together with this log. */
export const seenFile = ({ prepare }: Preparing, name: SiblingName): SeenFile | undefined => {
  const row = prepare("SELECT identity, progress FROM file_seen WHERE name = ?").get(name)
  return row === undefined ? undefined : { identity: String(row.identity), progress: Number(row.progress) }
}

/** Records a file, within the log's open transaction. */
export const noteFile = (
  { prepare }: Preparing,
  name: SiblingName,
  { identity, progress }: SeenFile
): void => {
  prepare(`
    INSERT INTO file_seen (name, identity, progress) VALUES (?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET identity = excluded.identity, progress = excluded.progress
    WHERE identity <> excluded.identity OR progress <> excluded.progress`).run(name, identity, progress)
}

/** The present state of the inbox. */
export interface InboxState extends SeenFile {
  /** Whether its keys are still being compared with the log. */
  readonly isInRepair: boolean
}

/** Reads the state of the inbox. */
export const inboxState = ({ prepare }: Preparing): InboxState => {
  const row = prepare(`
    SELECT epoch, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'inbox'), 0) AS newest,
      EXISTS (SELECT 1 FROM repair) AS repair
    FROM state`).get()
  return {
    identity: String(row?.epoch),
    progress: Number(row?.newest),
    isInRepair: Number(row?.repair) === 1
  }
}

/** Reads the state of the consumers' file. */
export const consumersState = ({ prepare }: Preparing): SeenFile => {
  const row = prepare(`
    SELECT identity, commits + (SELECT coalesce(sum(seq), 0) FROM sqlite_sequence) AS progress
    FROM consumers_file`).get()
  return { identity: String(row?.identity), progress: Number(row?.progress) }
}

/** Reads the state of the search index. */
export const searchState = ({ prepare }: Preparing): SeenFile => {
  const row = prepare("SELECT identity, removals FROM search_file").get()
  return { identity: String(row?.identity), progress: Number(row?.removals) }
}

/** Whether the log has any events. */
export const holdsEvents = ({ prepare }: Preparing): boolean =>
  prepare("SELECT 1 FROM head WHERE sequence > 0 OR legacy_count > 0 LIMIT 1").get() !== undefined

/**
 * How another file identifies an event: by its hash, or a legacy event's id; `undefined` if there is no event
 * at that place.
 */
export const markAt = ({ prepare }: Preparing, workspace: number, sequence: number): string | undefined => {
  const row = prepare(
    "SELECT coalesce(event_hash, id) AS mark FROM event WHERE workspace = ? AND sequence = ?"
  ).get(workspace, sequence)
  return row === undefined ? undefined : String(row.mark)
}

/** A finding about a file, for the operator. */
export interface FileFinding {
  readonly file: SiblingName | "log"
  /** One sentence. */
  readonly message: string
  readonly detail: Readonly<Record<string, string | number | null>>
}
