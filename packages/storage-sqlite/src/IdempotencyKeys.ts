/**
 * Idempotency keys in the inbox's file, by their hashes, see `KeyRows`. A file of an earlier version also has
 * them as texts, in a table from which they are moved in the background, see `KeyMove`: until then a key may
 * be in either table, but is never in both.
 */
import { eventIdBytes, eventIdOf, keyHash } from "@cairn/storage-sql"
import type { Preparing } from "./SqliteClient.ts"

/** Before every time. */
const NEVER = Number.MIN_SAFE_INTEGER

/** The bytes of a column that holds nothing else. */
export const bytesOf = (value: unknown): Uint8Array => {
  if (value instanceof Uint8Array) return value
  throw new Error(`a column of bytes holds a ${typeof value}`)
}

/** Whether the inbox still has keys as texts, or an empty table for them. */
export const hasTextKeys = (inbox: Preparing): boolean =>
  inbox.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'idempotency_key_text'").get() !== undefined

/** Whether the inbox has any key. */
export const hasKeys = (inbox: Preparing): boolean => {
  const isThere = (table: string) => inbox.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined
  return isThere("idempotency_key") || (hasTextKeys(inbox) && isThere("idempotency_key_text"))
}

/** The keys of one inbox, within a transaction. */
export interface IdempotencyKeys {
  /** Called when a transaction has begun: another process may have ended the move since the last one. */
  readonly begin: () => void
  /** The event that has the key, unless it was accepted before a time. */
  readonly holder: (workspace: number | null, key: string, since?: number | null) => string | undefined
  /**
   * Gives a free key to an event; returns the event that already has it, if there is one. A key whose event
   * was accepted before `expireBefore` is taken over.
   */
  readonly claim: (
    workspace: number,
    key: string,
    event: { readonly id: string; readonly acceptedAt: number },
    expireBefore?: number | null
  ) => string | undefined
  /** Frees the key, if the event has it. */
  readonly free: (workspace: number, key: string, eventId: string) => void
}

/** The former table. Its statements are prepared when they are needed: the table may be gone. */
const textKeys = (inbox: Preparing) => ({
  find: (workspace: number | null, key: string) =>
    inbox
      .prepare("SELECT event_id, accepted_at FROM idempotency_key_text WHERE workspace = ? AND key = ?")
      .get(workspace, key),
  remove: (workspace: number, key: string) =>
    inbox.prepare("DELETE FROM idempotency_key_text WHERE workspace = ? AND key = ?").run(workspace, key)
})

/** The keys of this inbox. */
export const idempotencyKeys = (inbox: Preparing): IdempotencyKeys => {
  const claimKey = inbox.prepare(`
    INSERT INTO idempotency_key (workspace, hash, event_id, accepted_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (workspace, hash) DO UPDATE SET event_id = excluded.event_id, accepted_at = excluded.accepted_at
    WHERE idempotency_key.accepted_at < ?`)
  const findKey = inbox.prepare(
    "SELECT event_id FROM idempotency_key WHERE workspace = ? AND hash = ? AND accepted_at >= ?"
  )
  const removeKey = inbox.prepare(
    "DELETE FROM idempotency_key WHERE workspace = ? AND hash = ? AND event_id = ?"
  )
  const texts = textKeys(inbox)
  /** Once it is gone, the former table never comes back. */
  let areTextsLeft = true

  const find = (workspace: number | null, hash: Uint8Array, since: number): string | undefined => {
    const row = findKey.get(workspace, hash, since)
    return row === undefined ? undefined : eventIdOf(bytesOf(row.event_id))
  }

  return {
    begin: () => {
      if (areTextsLeft) areTextsLeft = hasTextKeys(inbox)
    },
    holder: (workspace, key, since) => {
      const text = areTextsLeft ? texts.find(workspace, key) : undefined
      if (text !== undefined)
        return Number(text.accepted_at) >= (since ?? NEVER) ? String(text.event_id) : undefined
      return find(workspace, keyHash(key), since ?? NEVER)
    },
    claim: (workspace, key, { id, acceptedAt }, expireBefore) => {
      const before = expireBefore ?? NEVER
      const text = areTextsLeft ? texts.find(workspace, key) : undefined
      if (text !== undefined && Number(text.accepted_at) >= before) return String(text.event_id)
      if (text !== undefined) texts.remove(workspace, key)
      const hash = keyHash(key)
      if (claimKey.run(workspace, hash, eventIdBytes(id), acceptedAt, before).changes === 1) return undefined
      return find(workspace, hash, NEVER)
    },
    free: (workspace, key, eventId) => {
      if (areTextsLeft && texts.find(workspace, key)?.event_id === eventId) texts.remove(workspace, key)
      removeKey.run(workspace, keyHash(key), eventIdBytes(eventId))
    }
  }
}
