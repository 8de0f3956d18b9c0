/**
 * Whether the files of a database are from the same time. This is checked whenever they are opened, and
 * repaired if they are not: a file may have been restored from a copy, lost, or cut short by a damaged
 * write-ahead log. A stored position is only valid if the file that it points into has reached it.
 *
 * Every finding is reported to the operator once, as an error in the log of the process that found it.
 */
import { Effect } from "effect"
import { transaction } from "./Append.ts"
import { recoverConsumers } from "./ConsumersRecovery.ts"
import { inboxFindings } from "./InboxFindings.ts"
import { beginRepair, continueRepair } from "./InboxRepair.ts"
import { keepLostEnds } from "./LostEnds.ts"
import { recoverSearch } from "./SearchRecovery.ts"
import { type FileFinding, inboxState, seenFile } from "./SeenFiles.ts"
import type { SqliteClient } from "./SqliteClient.ts"
import { walDamage } from "./WriteAheadLog.ts"

/** The open files of a database. */
export interface RecoverableFiles {
  readonly log: SqliteClient
  readonly inbox: SqliteClient
  readonly consumers: SqliteClient
  readonly search: SqliteClient
}

const tell = (findings: ReadonlyArray<FileFinding>) =>
  Effect.forEach(
    findings,
    ({ file, message, detail }) => Effect.logError(message).pipe(Effect.annotateLogs({ file, ...detail })),
    { discard: true }
  )

const DAMAGED =
  "The write-ahead log of a file is damaged: what was written to it last is lost, accepted events too unless another file has them"

/**
 * Checks the write-ahead log of a file that was opened, before anything is written to it, and reports damage
 * to the operator. The log then begins again, so that the damage is reported once.
 */
export const tellDamage = Effect.fnUntraced(function* (
  file: FileFinding["file"],
  { config: { filename }, use }: SqliteClient
) {
  // First without the lock: frames that are being written may look damaged.
  if (walDamage(filename) === undefined) return
  const damage = yield* use("look at the write-ahead log", (database) =>
    transaction(database, () => walDamage(filename))
  )
  if (damage === undefined) return
  const { frame, commitsBehind } = damage
  yield* tell([{ file, message: DAMAGED, detail: { frame, commitsBehind } }])
  yield* use("begin a new write-ahead log", ({ prepare }) => prepare("PRAGMA wal_checkpoint(TRUNCATE)").get())
})

/** Makes inbox and log consistent. */
const recoverInbox = Effect.fnUntraced(function* ({ log, inbox }: RecoverableFiles) {
  const [theLog, theInbox] = [log.database, inbox.database]
  const findings = yield* log.use("hold the inbox against the log", () => {
    // First without a lock: there is nearly always nothing to do.
    const isKnown = seenFile(theLog, "inbox")?.identity === inboxState(theInbox).identity
    return isKnown && inboxFindings(theLog, theInbox).length === 0 ? [] : beginRepair(theLog, theInbox)
  })
  yield* tell(findings)
  const advance = continueRepair(theLog, theInbox)
  let [freed, read] = [0, 0]
  for (;;) {
    const done = yield* inbox.use("compare idempotency keys with the log", advance)
    if (done === undefined) break
    freed += done.freed
    read += done.read
    yield* Effect.yieldNow
  }
  if (freed + read > 0) {
    yield* Effect.logWarning("Idempotency keys were compared with the log").pipe(
      Effect.annotateLogs({ keysFreed: freed, eventsRead: read })
    )
  }
})

/** Checks all files. If nothing is wrong, it costs one look-up in the log for each workspace and file. */
export const recoverFiles = Effect.fnUntraced(function* (files: RecoverableFiles) {
  const { log, inbox, consumers, search } = files
  const databases = {
    log: log.database,
    inbox: inbox.database,
    consumers: consumers.database,
    search: search.database
  }
  // Called before any file loses its records of the log.
  yield* tell(yield* consumers.use("remember what the log has lost", () => keepLostEnds(databases)))
  yield* recoverInbox(files)
  yield* tell(
    yield* log.use("compare consumers with the log", () => recoverConsumers(log.database, consumers.database))
  )
  yield* tell(
    yield* log.use("compare the search index with the log", () =>
      recoverSearch(log.database, search.database)
    )
  )
})
