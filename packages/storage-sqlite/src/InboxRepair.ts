/**
 * Makes an inbox and a log from different times consistent again.
 *
 * 1. Under the locks of both files: events that are in the log are removed from the inbox, rows of workspaces
 *    that do not exist are parked, and the inbox gets a new epoch, so that no stored position in it is valid.
 *    Then the log records that epoch.
 * 2. In chunks: keys that an earlier version has stored as texts are moved (`KeyMove`); then keys whose
 *    events are in neither file are freed.
 * 3. In chunks: the keys of events that the inbox has not seen are read from the log.
 *
 * | crash | what it leaves | what the next start does |
 * |---|---|---|
 * | in 1, before the inbox commits | everything as it was | starts again |
 * | in 1, before the log commits | an epoch unknown to the log | starts again: each part may be done twice |
 * | in 2 or 3 | the row of `repair` says how far it has come | goes on from there |
 *
 * Until it is done, nothing is accepted or appended. Any number of processes may do it at the same time: each
 * chunk holds the inbox's lock.
 */
import { BEFORE_FIRST_EVENT } from "@cairn/core/consumer"
import { type Micros, monthOf } from "@cairn/core/encoding"
import { contentText, isAccessAction, nowhere, parseContent } from "@cairn/core/event"
import { isCountedId, type PendingEvent } from "@cairn/core/log"
import { isKept } from "@cairn/core/retention"
import { decodeEvents, encodeEvents, eventIdBytes, eventIdOf, keyHash } from "@cairn/storage-sql"
import { transaction } from "./Append.ts"
import { bytesOf } from "./IdempotencyKeys.ts"
import { inboxFindings, isAsSeen, isThere, seenLogs } from "./InboxFindings.ts"
import { moveKeys } from "./KeyMove.ts"
import { type FileFinding, inboxState, noteFile, seenFile } from "./SeenFiles.ts"
import type { Preparing, SqliteDatabase } from "./SqliteClient.ts"

/** Keys that are compared with the log in one transaction. */
const KEYS = 2_000
/** Events whose keys are read in one transaction. */
const EVENTS = 1_000

const countUsage = ({ prepare }: Preparing, workspace: number, at: Micros.Micros, events: number): void => {
  prepare(`
    INSERT INTO event_usage (workspace, month, events) VALUES (?, ?, max(0, ?))
    ON CONFLICT (workspace, month) DO UPDATE SET events = max(0, events + ?)`).run(
    workspace,
    monthOf(at),
    events,
    events
  )
}

/** Whether an event is counted. The first access events have ids like all others: their action tells. */
const isCounted = (id: string, action: string): boolean => isCountedId(id) && !isAccessAction(action)

/** How many waiting events are counted. */
const countedIn = (events: ReadonlyArray<PendingEvent>): number =>
  events.filter(({ id, content }) => isCounted(id, parseContent(contentText(content, nowhere))?.action ?? ""))
    .length

/**
 * Removes events from the inbox whose ids are in the log, within the inbox's open transaction. Costs one
 * look-up in the log for each waiting event.
 */
export const dropAppended = (
  log: Preparing,
  inbox: Preparing,
  onDropped: (
    workspace: number,
    acceptedAt: Micros.Micros,
    events: ReadonlyArray<PendingEvent>
  ) => void = () => {}
): void => {
  const isInLog = log.prepare("SELECT 1 FROM event WHERE id = ?")
  const read = inbox.prepare("SELECT workspace, accepted_at, events FROM inbox WHERE id = ?")
  for (const { id } of inbox.prepare("SELECT id FROM inbox").all()) {
    const row = read.get(Number(id))
    const events = decodeEvents(String(row?.events))
    const rest = events.filter((event) => isInLog.get(event.id) === undefined)
    if (rest.length === events.length) continue
    const dropped = events.filter((event) => !rest.includes(event))
    onDropped(Number(row?.workspace), Number(row?.accepted_at), dropped)
    if (rest.length === 0) inbox.prepare("DELETE FROM inbox WHERE id = ?").run(Number(id))
    else
      inbox
        .prepare("UPDATE inbox SET events = ?, event_count = ? WHERE id = ?")
        .run(encodeEvents(rest), rest.length, Number(id))
  }
  inbox.prepare("UPDATE state SET waiting = (SELECT coalesce(sum(event_count), 0) FROM inbox)").run()
}

/**
 * Parks requests of a workspace that does not exist and returns how many events they have. They get a number
 * that no workspace has: their own number will be the next workspace's.
 */
const parkLost = ({ prepare }: SqliteDatabase, workspace: number, workspaceId: string | null): number => {
  const lost = prepare("SELECT id, event_count FROM inbox WHERE workspace = ?").all(workspace)
  for (const { id } of lost) {
    prepare(`
      INSERT INTO parked (id, workspace, accepted_at, event_count, events, reason)
      SELECT CASE WHEN EXISTS (SELECT 1 FROM parked WHERE id = i.id) THEN (SELECT max(id) + 1 FROM parked) ELSE i.id END,
        -workspace, accepted_at, event_count, events, ?
      FROM inbox i WHERE id = ?`).run(`the log does not hold its workspace ${workspaceId ?? ""}`, Number(id))
    prepare("DELETE FROM inbox WHERE id = ?").run(Number(id))
  }
  return lost.reduce((sum, { event_count }) => sum + Number(event_count), 0)
}

/** Parks the rows of workspaces that the log lacks, under their numbers. */
const parkAllLost = (log: SqliteDatabase, inbox: SqliteDatabase): ReadonlyArray<FileFinding> => {
  const known = log.prepare("SELECT 1 FROM workspace WHERE number = ?")
  const seen = new Map(seenLogs(inbox).map((each) => [each.workspace, each]))
  const waiting = inbox.prepare("SELECT DISTINCT workspace FROM inbox").all()
  return waiting.flatMap((row): ReadonlyArray<FileFinding> => {
    const workspace = Number(row.workspace)
    const as = seen.get(workspace)
    if (as === undefined ? known.get(workspace) !== undefined : isThere(log, as)) return []
    const events = parkLost(inbox, workspace, as?.workspaceId ?? null)
    const message = "Requests of a workspace that the log does not hold were parked"
    return [{ file: "inbox", message, detail: { workspaceId: as?.workspaceId ?? null, events } }]
  })
}

/**
 * Discards the inbox's record of a log that differs from it: all keys of the log are read again, and its
 * events counted again.
 */
const forgetUnlike = (log: SqliteDatabase, inbox: SqliteDatabase): void => {
  for (const seen of seenLogs(inbox)) {
    if (isAsSeen(log, seen)) continue
    inbox.prepare("DELETE FROM event_usage WHERE workspace = ?").run(seen.workspace)
    inbox.prepare("DELETE FROM log_seen WHERE workspace = ?").run(seen.workspace)
    const waiting = inbox.prepare("SELECT accepted_at, events FROM inbox WHERE workspace = ?")
    for (const row of waiting.iterate(seen.workspace)) {
      const events = countedIn(decodeEvents(String(row.events)))
      countUsage(inbox, seen.workspace, Number(row.accepted_at), events)
    }
  }
}

const knowWorkspaces = (log: SqliteDatabase, inbox: SqliteDatabase, areKeysHere: boolean): void => {
  const know = inbox.prepare(
    "INSERT INTO log_seen (workspace, workspace_id, sequence, event_hash) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
  )
  const workspaces = log.prepare(
    "SELECT number, id, sequence, event_hash FROM workspace JOIN head ON head.workspace = number"
  )
  for (const { number, id, sequence, event_hash } of workspaces.all()) {
    const hash = event_hash === null ? null : String(event_hash)
    if (areKeysHere) know.run(Number(number), String(id), Number(sequence), hash)
    else know.run(Number(number), String(id), BEFORE_FIRST_EVENT, null)
  }
}

/** A new epoch, and numbers for rows that no log has reached. */
const beginEpoch = (log: SqliteDatabase, inbox: SqliteDatabase): void => {
  const passed = Number(log.prepare("SELECT max(inbox_id) AS id FROM head").get()?.id ?? 0)
  const newest = Math.max(inboxState(inbox).progress, seenFile(log, "inbox")?.progress ?? 0, passed)
  const { changes } = inbox.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'inbox'").run(newest)
  if (changes === 0) inbox.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('inbox', ?)").run(newest)
  inbox.prepare("UPDATE state SET epoch = lower(hex(randomblob(16)))").run()
}

/**
 * Checks under the locks of both files whether log and inbox are consistent, and makes the most urgent
 * repairs if they are not; returns the findings. An inbox that is used with this log for the first time is
 * recorded.
 */
export const beginRepair = (log: SqliteDatabase, inbox: SqliteDatabase): ReadonlyArray<FileFinding> =>
  transaction(log, () => {
    const findings = transaction(inbox, () => {
      const found = inboxFindings(log, inbox)
      if (found.length === 0 && seenFile(log, "inbox")?.identity === inboxState(inbox).identity) return []
      dropAppended(log, inbox, (workspace, acceptedAt, events) => {
        if (found.length > 0) countUsage(inbox, workspace, acceptedAt, -countedIn(events))
      })
      const parked = parkAllLost(log, inbox)
      forgetUnlike(log, inbox)
      knowWorkspaces(log, inbox, found.length === 0)
      inbox.prepare("UPDATE state SET waiting = (SELECT coalesce(sum(event_count), 0) FROM inbox)").run()
      if (found.length === 0) return parked
      beginEpoch(log, inbox)
      inbox.prepare("DELETE FROM repair").run()
      inbox.prepare("INSERT INTO repair (step, workspace, key) VALUES ('free', -1, '')").run()
      return [...found, ...parked]
    })
    noteFile(log, "inbox", inboxState(inbox))
    return findings
  })

/** The workspace of each event that waits or is parked. Nothing is added while a repair is in progress. */
const waitingEvents = ({ prepare }: SqliteDatabase): ReadonlyMap<string, number> => {
  const events = new Map<string, number>()
  for (const table of ["inbox", "parked"]) {
    for (const row of prepare(`SELECT workspace, events FROM ${table}`).iterate())
      for (const { id } of decodeEvents(String(row.events))) events.set(id, Number(row.workspace))
  }
  return events
}

/** The progress of a repair. */
export interface Repaired {
  /** Keys that were freed. */
  readonly freed: number
  /** Events whose keys were read from the log. */
  readonly read: number
}

/** Frees those of the next keys whose events are in neither file, or have no content any more. */
const freeKeys = (
  log: SqliteDatabase,
  inbox: SqliteDatabase,
  waiting: () => ReadonlyMap<string, number>,
  after: { readonly workspace: number; readonly hash: string }
): number => {
  const keys = inbox
    .prepare(
      "SELECT workspace, hash, event_id FROM idempotency_key WHERE (workspace, hash) > (?, ?) ORDER BY workspace, hash LIMIT ?"
    )
    .all(after.workspace, Buffer.from(after.hash, "hex"), KEYS)
    .map(({ workspace, hash, event_id }) => ({
      workspace: Number(workspace),
      hash: bytesOf(hash),
      id: eventIdOf(bytesOf(event_id))
    }))
  const inLog = log.prepare("SELECT workspace, content IS NOT NULL AS whole FROM event WHERE id = ?")
  const free = inbox.prepare("DELETE FROM idempotency_key WHERE workspace = ? AND hash = ?")
  let freed = 0
  for (const { workspace, hash, id } of keys) {
    const event = inLog.get(id)
    const isHeld =
      event === undefined
        ? waiting().get(id) === workspace
        : event.workspace === workspace && Number(event.whole) === 1
    if (isHeld) continue
    free.run(workspace, hash)
    freed++
  }
  const last = keys.at(-1)
  if (last === undefined) inbox.prepare("UPDATE repair SET step = 'read', workspace = -1, key = ''").run()
  else
    inbox
      .prepare("UPDATE repair SET workspace = ?, key = ?")
      .run(last.workspace, Buffer.from(last.hash).toString("hex"))
  return freed
}

/** Reads the keys of a log's next events, and returns how many events that were. */
const readKeys = (log: SqliteDatabase, inbox: SqliteDatabase, workspace: number): number => {
  const from = Number(
    inbox.prepare("SELECT sequence FROM log_seen WHERE workspace = ?").get(workspace)?.sequence
  )
  const events = log
    .prepare(
      "SELECT sequence, id, created_at, content, event_hash FROM event WHERE workspace = ? AND sequence > ? ORDER BY sequence LIMIT ?"
    )
    .all(workspace, from, EVENTS)
  const claim = inbox.prepare(`
    INSERT INTO idempotency_key (workspace, hash, event_id, accepted_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (workspace, hash) DO UPDATE SET event_id = excluded.event_id, accepted_at = excluded.accepted_at
    WHERE event_id <> excluded.event_id AND accepted_at < excluded.accepted_at`)
  for (const { id, created_at, content, sequence } of events) {
    const { idempotency_key: key, action = "" } =
      (typeof content === "string" ? parseContent(content) : undefined) ?? {}
    if (key) claim.run(workspace, keyHash(key), eventIdBytes(String(id)), Number(created_at))
    // Events that the service chains itself, and history, were not accepted through the inbox.
    const isAccepted = Number(sequence) > 0 && !isKept(action)
    if (isAccepted && isCounted(String(id), action)) countUsage(inbox, workspace, Number(created_at), 1)
  }
  const last = events.at(-1)
  if (last !== undefined) {
    const hash = last.event_hash === null ? null : String(last.event_hash)
    inbox
      .prepare("UPDATE log_seen SET sequence = ?, event_hash = ? WHERE workspace = ?")
      .run(Number(last.sequence), hash, workspace)
  }
  return events.length
}

/** Continues with the log of the next workspace, or ends the repair. */
const nextLog = ({ prepare }: SqliteDatabase, workspace: number): void => {
  const next = prepare("SELECT min(workspace) AS workspace FROM log_seen WHERE workspace > ?").get(workspace)
  if (next?.workspace === null || next === undefined) prepare("DELETE FROM repair").run()
  else prepare("UPDATE repair SET workspace = ?").run(Number(next.workspace))
}

/**
 * Continues a repair that has begun, one chunk a call, and returns what it did; `undefined` once nothing is
 * left to do.
 */
export const continueRepair = (log: SqliteDatabase, inbox: SqliteDatabase): (() => Repaired | undefined) => {
  let events: ReadonlyMap<string, number> | undefined
  const waiting = () => {
    events ??= waitingEvents(inbox)
    return events
  }
  return () =>
    transaction(inbox, () => {
      const at = inbox.prepare("SELECT step, workspace, key FROM repair").get()
      if (at === undefined) return undefined
      if (moveKeys(inbox, KEYS) !== undefined) return { freed: 0, read: 0 }
      const workspace = Number(at.workspace)
      if (at.step === "free")
        return { freed: freeKeys(log, inbox, waiting, { workspace, hash: String(at.key) }), read: 0 }
      const read = workspace < 0 ? 0 : readKeys(log, inbox, workspace)
      if (read === 0) nextLog(inbox, workspace)
      return { freed: 0, read }
    })
}
