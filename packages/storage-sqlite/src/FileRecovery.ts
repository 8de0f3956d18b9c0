/**
 * Whether the files of a database are of one time, looked at whenever they are opened, and what is done where
 * they are not: a file may have been put back from a copy, lost, or cut short by a damaged write-ahead log. A
 * position means something only in a file that is at least as far.
 *
 * The operator is told of everything that is found, as errors in the log of the process that found it, once.
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
 * Looks at the write-ahead log of a file that was opened, before anything is written to it, and tells the
 * operator where it is damaged. It begins anew then, so that it is told once.
 */
export const tellDamage = Effect.fnUntraced(function* (
  file: FileFinding["file"],
  { config: { filename }, use }: SqliteClient
) {
  // Without the lock first: frames that are being written look as if they did not hold.
  if (walDamage(filename) === undefined) return
  const damage = yield* use("look at the write-ahead log", (database) =>
    transaction(database, () => walDamage(filename))
  )
  if (damage === undefined) return
  const { frame, commitsBehind } = damage
  yield* tell([{ file, message: DAMAGED, detail: { frame, commitsBehind } }])
  yield* use("begin a new write-ahead log", ({ prepare }) => prepare("PRAGMA wal_checkpoint(TRUNCATE)").get())
})

/** Makes inbox and log fit each other. */
const recoverInbox = Effect.fnUntraced(function* ({ log, inbox }: RecoverableFiles) {
  const [theLog, theInbox] = [log.database, inbox.database]
  const findings = yield* log.use("hold the inbox against the log", () => {
    // Without a lock first: nearly always there is nothing to do.
    const isKnown = seenFile(theLog, "inbox")?.identity === inboxState(theInbox).identity
    return isKnown && inboxFindings(theLog, theInbox).length === 0 ? [] : beginRepair(theLog, theInbox)
  })
  yield* tell(findings)
  const advance = continueRepair(theLog, theInbox)
  let [freed, read] = [0, 0]
  for (;;) {
    const done = yield* inbox.use("hold idempotency keys against the log", advance)
    if (done === undefined) break
    freed += done.freed
    read += done.read
    yield* Effect.yieldNow
  }
  if (freed + read > 0) {
    yield* Effect.logWarning("Idempotency keys were held against the log").pipe(
      Effect.annotateLogs({ keysFreed: freed, eventsRead: read })
    )
  }
})

/** Looks at all of them. Costs a look-up in the log for each workspace and file where nothing is amiss. */
export const recoverFiles = Effect.fnUntraced(function* (files: RecoverableFiles) {
  const { log, inbox, consumers, search } = files
  const databases = {
    log: log.database,
    inbox: inbox.database,
    consumers: consumers.database,
    search: search.database
  }
  // Before any of them forgets what it remembers of the log.
  yield* tell(yield* consumers.use("remember what the log has lost", () => keepLostEnds(databases)))
  yield* recoverInbox(files)
  yield* tell(
    yield* log.use("hold consumers against the log", () => recoverConsumers(log.database, consumers.database))
  )
  yield* tell(
    yield* log.use("hold the index against the log", () => recoverSearch(log.database, search.database))
  )
})
