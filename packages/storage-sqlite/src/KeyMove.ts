/**
 * Moving the idempotency keys that an earlier version has stored as texts, see `IdempotencyKeys`. Each
 * transaction moves the first of those that are left, so that any number of processes may do it, and any of
 * them end at any point; the process that finds none left drops the former table.
 */
import { eventIdBytes, keyHash } from "@cairn/storage-sql"
import { Effect } from "effect"
import { transaction } from "./Append.ts"
import { bytesOf, hasTextKeys } from "./IdempotencyKeys.ts"
import { inboxCheckpoint } from "./InboxCheckpoint.ts"
import { migrate } from "./Migrations.ts"
import type { SqliteClient, SqliteDatabase } from "./SqliteClient.ts"

/** Keys of one transaction in the background: accepting waits for it, a few milliseconds. */
const CHUNK = 200
/** How long others have the lock between two of them. */
const PAUSE_MILLIS = 15
/** How long a transaction waits for the lock, during which its thread does nothing else. */
const LOCK_MILLIS = 50
/** Pause where another connection keeps the lock, or the store fails. */
const AGAIN = "1 second"
/** Keys of one transaction where nobody accepts. */
const LARGE_CHUNK = 2_000

/**
 * Moves so many keys within the open transaction, and returns how many there were; `undefined` once the
 * former table is gone. A key that is in both tables belongs to the newer event.
 */
export const moveKeys = ({ db, prepare }: SqliteDatabase, most: number): number | undefined => {
  if (!hasTextKeys({ prepare })) return undefined
  // As bytes, so that a row is deleted under the very key that was read.
  const keys = prepare(`
    SELECT workspace, CAST(key AS BLOB) AS key, event_id, accepted_at FROM idempotency_key_text
    ORDER BY workspace, idempotency_key_text.key LIMIT ?`).all(most)
  if (keys.length === 0) {
    db.exec("DROP TABLE idempotency_key_text")
    return undefined
  }
  const insert = prepare(`
    INSERT INTO idempotency_key (workspace, hash, event_id, accepted_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (workspace, hash) DO UPDATE SET event_id = excluded.event_id, accepted_at = excluded.accepted_at
    WHERE idempotency_key.accepted_at < excluded.accepted_at`)
  // One by one: for a range of pairs with a CAST, SQLite would read all that are left.
  const remove = prepare("DELETE FROM idempotency_key_text WHERE workspace = ? AND key = CAST(? AS TEXT)")
  for (const { workspace, key, event_id, accepted_at } of keys) {
    const text = bytesOf(key)
    insert.run(Number(workspace), keyHash(text), eventIdBytes(String(event_id)), Number(accepted_at))
    remove.run(Number(workspace), text)
  }
  return keys.length
}

/** Brings the inbox's file up to date; a new one needs no former table. Fails as `migrate` does. */
export const migrateInbox = Effect.fnUntraced(function* (inbox: SqliteClient) {
  yield* migrate(inbox, "inbox")
  yield* inbox.use("look for former idempotency keys", (database) => {
    if (!hasTextKeys(database)) return
    transaction(database, () => {
      if (!hasTextKeys(database)) return
      const key = database.prepare("SELECT 1 FROM idempotency_key_text LIMIT 1").get()
      if (key === undefined) moveKeys(database, 1)
    })
  })
})

/** Moves all keys at once, for a file that nobody else uses. */
export const moveAllKeys = (inbox: SqliteClient) =>
  inbox.use("move idempotency keys", (database) => {
    while (transaction(database, () => moveKeys(database, LARGE_CHUNK)) !== undefined);
  })

const cannotMove = (error: unknown) =>
  Effect.logWarning(
    "Idempotency keys of an earlier version cannot be made compact, and are tried again",
    error
  )

/**
 * Moves all keys, a few at a time, while others accept. Where the store fails, it is tried again each second,
 * and the log says so once until it works again.
 */
export const moveKeysInBackground = Effect.fnUntraced(function* (inbox: SqliteClient) {
  const checkpoint = inboxCheckpoint(inbox.database)
  let isTold = false
  const chunk = inbox
    .use("move idempotency keys", (database) => {
      if (!hasTextKeys(database)) return undefined
      const count = transaction(database, () => moveKeys(database, CHUNK), LOCK_MILLIS)
      checkpoint()
      isTold = false
      return count
    })
    .pipe(
      Effect.catchTag("SqlError", (error) => {
        // Somebody else has the lock.
        const isUsual = isTold || error.reason._tag === "LockTimeoutError"
        isTold ||= !isUsual
        return Effect.as(Effect.andThen(isUsual ? Effect.void : cannotMove(error), Effect.sleep(AGAIN)), 0)
      })
    )
  let moved = 0
  for (let count = yield* chunk; count !== undefined; count = yield* chunk) {
    if (moved === 0 && count > 0)
      yield* Effect.logInfo("Idempotency keys of an earlier version are made compact")
    moved += count
    yield* Effect.sleep(PAUSE_MILLIS)
  }
  if (moved === 0) return
  yield* Effect.logInfo("Idempotency keys of an earlier version are compact").pipe(
    Effect.annotateLogs({ keys: moved })
  )
})
