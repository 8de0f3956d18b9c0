/** The database that a backup is to replace: what it has that the backup lacks, and what it remembers. */
import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import {
  decodeSigned,
  type SeenEnd,
  SIGNED_CONSUMER,
  SIGNED_KEY,
  type SignedSize
} from "@cairn/core/checkpoint"
import { Option } from "effect"
import { carryEnds, rememberedEnds } from "./LostEnds.ts"
import { isBusy } from "./SqliteClient.ts"
import { BACKUP_FILES, pathsOf } from "./UnfinishedBackups.ts"

type FileName = (typeof BACKUP_FILES)[number]

/** The files that are there and can be read, open. */
export interface PresentDatabase {
  readonly files: Readonly<Partial<Record<FileName, DatabaseSync>>>
  /** What the system says of those that cannot be read. */
  readonly unreadable: ReadonlyArray<string>
}

/** A server, or something else, has the database open. */
export class DatabaseInUse extends Error {}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Whether any file of a database has that name. */
export const isThere = (filename: string): boolean =>
  BACKUP_FILES.some((name) => existsSync(pathsOf(filename)[name]))

const openFile = (path: string, alone: boolean): DatabaseSync => {
  const db = new DatabaseSync(path, { readOnly: !alone, timeout: 2_000 })
  try {
    // Cannot be taken while anybody else has the file open, and keeps all others out.
    if (alone) db.exec("PRAGMA locking_mode = EXCLUSIVE")
    db.prepare("SELECT count(*) FROM sqlite_master").get()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Closes the files. What is in their write-ahead logs is then in the files themselves. */
export const closePresent = ({ files }: PresentDatabase): void => {
  for (const name of BACKUP_FILES) {
    const db = files[name]
    if (db?.isOpen === true) db.close()
  }
}

/** Opens what is there; `alone` keeps all others out, or throws {@link DatabaseInUse}. */
export const openPresent = (filename: string, alone: boolean): PresentDatabase => {
  const files: Partial<Record<FileName, DatabaseSync>> = {}
  const unreadable: Array<string> = []
  for (const name of BACKUP_FILES) {
    const path = pathsOf(filename)[name]
    if (!existsSync(path)) continue
    try {
      files[name] = openFile(path, alone)
    } catch (error) {
      if (alone && isBusy(error)) {
        closePresent({ files, unreadable })
        throw new DatabaseInUse(path)
      }
      unreadable.push(`${path}: ${messageOf(error)}`)
    }
  }
  return { files, unreadable }
}

/** What a workspace loses. */
export interface WorkspaceLoss {
  readonly workspace_id: string
  readonly name: string
  /** Events of its log, as it is now. */
  readonly events_now: number
  /** Events of its log in the backup; null if the backup does not have the workspace. */
  readonly events_in_backup: number | null
  /** Events that are in the log now and not in the backup. */
  readonly events_lost: number
  /** Events that are accepted now and not in the log yet: they are lost too. */
  readonly waiting_lost: number
}

const HEADS =
  "SELECT number, id, name, sequence, event_hash FROM workspace LEFT JOIN head ON head.workspace = number ORDER BY number"

const headsOf = (log: DatabaseSync) =>
  log
    .prepare(HEADS)
    .all()
    .map(({ number, id, name, sequence, event_hash }) => ({
      number: Number(number),
      id: String(id),
      name: String(name),
      sequence: Math.max(0, Number(sequence ?? 0)),
      eventHash: event_hash === null ? null : String(event_hash)
    }))

/** How many events both logs begin with: of a chain, one hash stands for all before it. */
const commonEvents = (now: DatabaseSync, number: number, then: DatabaseSync, other: number, most: number) => {
  const sql = "SELECT event_hash AS hash FROM event WHERE workspace = ? AND sequence = ?"
  const [one, two] = [now.prepare(sql), then.prepare(sql)]
  let [low, high] = [0, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const hash = one.get(number, middle)?.hash
    if (hash !== undefined && hash === two.get(other, middle)?.hash) low = middle
    else high = middle - 1
  }
  return low
}

const waitingIn = (inbox: DatabaseSync | undefined): ReadonlyMap<number, number> =>
  new Map(
    inbox
      ?.prepare("SELECT workspace, sum(event_count) AS n FROM inbox GROUP BY workspace")
      .all()
      .map(({ workspace, n }) => [Number(workspace), Number(n)])
  )

/** What each workspace has now and not in the backup at `backup`. Throws what the driver throws. */
export const lossesOf = ({ files }: PresentDatabase, backup: string): ReadonlyArray<WorkspaceLoss> => {
  const { log, inbox } = files
  if (log === undefined) return []
  const then = new DatabaseSync(backup, { readOnly: true })
  try {
    const waiting = waitingIn(inbox)
    const before = new Map(headsOf(then).map((head) => [head.id, head]))
    return headsOf(log).map(({ number, id, name, sequence }) => {
      const old = before.get(id)
      const most = Math.min(sequence, old?.sequence ?? 0)
      const common = old === undefined ? 0 : commonEvents(log, number, then, old.number, most)
      return {
        workspace_id: id,
        name,
        events_now: sequence,
        events_in_backup: old?.sequence ?? null,
        events_lost: sequence - common,
        waiting_lost: waiting.get(number) ?? 0
      }
    })
  } finally {
    then.close()
  }
}

/** What can be read of it. */
const attempt = <A>(read: () => ReadonlyArray<A>): ReadonlyArray<A> => {
  try {
    return read()
  } catch {
    // The file is damaged, or older than the table.
    return []
  }
}

const preparing = (db: DatabaseSync) => ({ db, prepare: (sql: string) => db.prepare(sql) })

/** The records of what was signed. */
const signedIn = (consumers: DatabaseSync): ReadonlyArray<readonly [string, SignedSize]> =>
  consumers
    .prepare("SELECT workspace_id, value FROM consumer_row WHERE consumer = ? AND key = ?")
    .all(SIGNED_CONSUMER, SIGNED_KEY)
    .flatMap(({ workspace_id, value }) => {
      const signed = Option.getOrUndefined(decodeSigned(String(value)))
      return signed === undefined ? [] : [[String(workspace_id), signed] as const]
    })

/**
 * Hands on what a database remembers of how far its logs went, and what was signed, to the one that replaces
 * it, so that no size is signed twice with different contents. Nobody may have that one open.
 */
export const handOnEnds = ({ files }: PresentDatabase, to: string): void => {
  const { log, inbox, consumers, search } = files
  const signed = consumers === undefined ? [] : attempt(() => signedIn(consumers))
  const heads = log === undefined ? [] : attempt(() => headsOf(log))
  const known: ReadonlyArray<SeenEnd & { readonly workspaceId: string }> = [
    ...heads.map(({ id, sequence, eventHash }) => ({ workspaceId: id, sequence, eventHash })),
    ...signed.map(([workspaceId, { size, event_hash }]) => ({
      workspaceId,
      sequence: size,
      eventHash: event_hash
    })),
    ...rememberedEnds(
      {
        log: log === undefined ? undefined : preparing(log),
        inbox: inbox === undefined ? undefined : preparing(inbox),
        consumers: consumers === undefined ? undefined : preparing(consumers),
        search: search === undefined ? undefined : preparing(search)
      },
      attempt
    )
  ]
  const paths = pathsOf(to)
  const open = BACKUP_FILES.map((name) => [name, new DatabaseSync(paths[name])] as const)
  try {
    const opened = Object.fromEntries(open.map(([name, db]) => [name, preparing(db)])) as Record<
      FileName,
      ReturnType<typeof preparing>
    >
    carryEnds(opened, known, new Map(signed.filter(([, { lost }]) => lost)))
  } finally {
    for (const [, db] of open) db.close()
  }
}
