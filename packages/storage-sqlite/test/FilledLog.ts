/** A long log in place of an hour of requests. */
import type { DatabaseSync } from "node:sqlite"
import { Micros } from "@cairn/core/encoding"
import { contentParts, contentText, decodeEvent, nowhere } from "@cairn/core/event"
import { SearchIndexer } from "@cairn/core/log"
import { Effect, Result } from "effect"

const START = 1_700_000_000_000_000

/** When an event happened. */
export const time = (sequence: number): number => START + sequence * 1_000

/** What an event has, made by the database from its number `n`; it occurred when it was recorded. */
const VALUES = {
  [Micros.format(START)]:
    `strftime('%Y-%m-%dT%H:%M:%f', ${START / 1_000_000} + n / 1000.0, 'unixepoch') || '000Z'`,
  "the.action": "'document.' || CASE n % 5 WHEN 0 THEN 'created' WHEN 4 THEN 'deleted' ELSE 'read' END",
  "the actor": "'actor-' || (n % 1000)",
  "the resource": "'doc-' || (n % 5000)",
  "the tenant": "'tenant-' || (n % 50)",
  "the session": "'session-' || (n / 20)",
  "the type": "CASE WHEN n % 1000 = 3 THEN 'vault' ELSE 'folder' END",
  "the target": "'folder-' || (n % 5000)"
}

/** The text of a content that has these values' names in their places. */
const model = (targets: ReadonlyArray<{ readonly type: string; readonly id: string }>): string => {
  const event = decodeEvent({
    action: "the.action",
    actor_id: "the actor",
    resource: "document",
    resource_id: "the resource",
    tenant_id: "the tenant",
    session_id: "the session",
    targets
  })
  return contentText(contentParts(Result.getOrThrow(event), START), nowhere)
}

const withValues = (content: string): string =>
  Object.entries(VALUES).reduce(
    (text, [name, value]) => `replace(${text}, '${name}', ${value})`,
    `'${content}'`
  )

/** Every second event has a target. */
const CONTENT = `CASE n % 2 WHEN 0 THEN ${withValues(model([]))}
  ELSE ${withValues(model([{ type: "the type", id: "the target" }]))} END`

/** Fills the log of the first workspace with rows: nothing of them can be verified, only found. */
export const fillLog = (db: DatabaseSync, events: number): void => {
  db.exec("PRAGMA synchronous = OFF; BEGIN")
  db.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${events})
    INSERT INTO event (workspace, sequence, id, created_at, content)
    SELECT 1, n, 'evt-' || n, ${START} + n * 1000, ${CONTENT} FROM numbers`)
  db.exec(`UPDATE head SET sequence = ${events}, created_at = ${time(events)} WHERE workspace = 1; COMMIT`)
}

/** Indexes a log as far as there is enough for a frame. */
export const indexLog = Effect.flatMap(SearchIndexer, ({ advance }) =>
  Effect.repeat(advance, { while: (count) => count > 0 })
)
