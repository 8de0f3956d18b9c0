/** Inboxes as versions left them that stored idempotency keys as texts. */
import { rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { eventIdOf } from "@cairn/storage-sql"
import { bytesOf } from "../src/IdempotencyKeys.ts"
import { MIGRATIONS } from "../src/Migrations.ts"
import { ask, fileOf } from "./RestoredFiles.ts"

/** The migration of the inbox with which keys became compact. */
export const COMPACT_KEYS = 4

/** The statement that made the table of keys before. */
const formerTable = (): string => {
  const db = new DatabaseSync(":memory:")
  for (const migration of MIGRATIONS.inbox.slice(0, COMPACT_KEYS - 1)) db.exec(migration)
  const made = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'idempotency_key'").get()
  db.close()
  return String(made?.sql)
}

/** A row of the former table. */
export interface FormerKey {
  readonly workspace: number
  readonly key: string
  readonly eventId: string
  readonly acceptedAt: number
}

/** Runs `use` on the inbox's file. */
export const inInbox = <A>(filename: string, use: (db: DatabaseSync) => A): A => {
  const db = new DatabaseSync(fileOf(filename, "inbox"), { timeout: 5_000 })
  try {
    return use(db)
  } finally {
    db.close()
  }
}

/** The ids of events by the keys in their contents. */
export const keysInLog = (filename: string): ReadonlyMap<string, string> =>
  new Map(
    ask(filename, "log", "SELECT id, content FROM event").flatMap(({ id, content }) => {
      const key: unknown = JSON.parse(String(content ?? "{}")).idempotency_key
      return typeof key === "string" ? [[String(id), key]] : []
    })
  )

/** Makes the inbox of a database, which nobody has open, one of before, with its keys as texts, and more. */
export const asBefore = (filename: string, more: ReadonlyArray<FormerKey> = []): void => {
  const texts = keysInLog(filename)
  const compact = ask(filename, "inbox", "SELECT workspace, hash, event_id, accepted_at FROM idempotency_key")
  const own = compact.map(({ workspace, event_id, accepted_at }): FormerKey => {
    const eventId = eventIdOf(bytesOf(event_id))
    const key = texts.get(eventId)
    if (key === undefined) throw new Error(`nobody knows the key of ${eventId}`)
    return { workspace: Number(workspace), key, eventId, acceptedAt: Number(accepted_at) }
  })
  inInbox(filename, (db) => {
    db.exec(`BEGIN; DROP TABLE idempotency_key; ${formerTable()}; PRAGMA user_version = ${COMPACT_KEYS - 1}`)
    const insert = db.prepare("INSERT INTO idempotency_key VALUES (?, ?, ?, ?)")
    for (const { workspace, key, eventId, acceptedAt } of [...own, ...more])
      insert.run(workspace, key, eventId, acceptedAt)
    db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  })
  rmSync(`${fileOf(filename, "inbox")}-wal`, { force: true })
}

/** How many keys are still texts; undefined once there is no table for them. */
export const textsLeft = (filename: string): number | undefined =>
  inInbox(filename, (db) =>
    db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'idempotency_key_text'").get() === undefined
      ? undefined
      : Number(db.prepare("SELECT count(*) AS n FROM idempotency_key_text").get()?.n)
  )

/** Returns when no key is a text any more. */
export const untilCompact = async (filename: string): Promise<void> => {
  for (const until = performance.now() + 60_000; textsLeft(filename) !== undefined; ) {
    if (performance.now() > until) throw new Error(`${filename}: ${textsLeft(filename)} keys are left`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
