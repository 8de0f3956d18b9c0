/**
 * Removal of content on PostgreSQL: one transaction. Dead rows are removed from the files by the next vacuum;
 * a dump never contains them.
 */

import type { Micros } from "@cairn/core/encoding"
import { parseContent } from "@cairn/core/event"
import type { Append, Head, PendingEvent } from "@cairn/core/log"
import { ContentRemoval, type RemovedEvent } from "@cairn/core/retention"
import {
  againIfMadeMeanwhile,
  consumptionRemoval,
  contentsOf,
  discardParked,
  eventIdBytes,
  type FrameWriter,
  forgetEvents,
  frameRows,
  type KeyedTables,
  keyHash,
  noteRemoval,
  noteScrubbed,
  removalTally,
  removeFromFrames,
  unavailable,
  WorkspaceKeys
} from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { holdHead, writeAppend } from "./Append.ts"
import { Places } from "./Places.ts"
import { blobs, numbers, texts } from "./PostgresTypes.ts"
import { makePosition } from "./SearchIndex.ts"
import { SeenHeads } from "./SeenHeads.ts"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

/**
 * Removes events from the search index, within a transaction. A process that indexes holds the position's
 * lock from reading contents to writing their text. It also does while it makes the position of a log that
 * has none, where there is nothing to lock yet.
 */
const removeFromIndex = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  index: FrameWriter,
  sequences: ReadonlyArray<number>
) {
  const { workspace } = index
  yield* makePosition(sql, workspace)
  yield* sql`SELECT sequence FROM search_position WHERE workspace = ${workspace} FOR UPDATE`
  yield* removeFromFrames(index, sequences)
})

/** An event and its idempotency key, if it has one. */
interface KeyOfEvent {
  readonly id: string
  readonly key: string | null | undefined
}

/** The keys that these events were accepted with. */
const keysOf = (events: ReadonlyArray<RemovedEvent>): ReadonlyArray<KeyOfEvent> =>
  events.map(({ id, content }) => ({ id, key: parseContent(content)?.idempotency_key }))

/** Frees keys, within a transaction; in sorted order, as keys are claimed, so that nobody deadlocks. */
const freeKeys = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: number,
  events: ReadonlyArray<KeyOfEvent>
) {
  const hashes = events.flatMap(({ key }) => (key ? [keyHash(key)] : []))
  if (hashes.length === 0) return
  yield* sql.unsafe(
    `WITH held AS (
       SELECT hash FROM idempotency_key
       WHERE workspace = $1::bigint AND hash = ANY ($2::bytea[]) AND event_id = ANY ($3::bytea[])
       ORDER BY hash FOR UPDATE
     )
     DELETE FROM idempotency_key WHERE workspace = $1::bigint AND hash IN (SELECT hash FROM held)`,
    [workspace, blobs(hashes), blobs(events.map(({ id }) => eventIdBytes(id)))]
  )
})

/** Removes the contents from the log, within a transaction. */
const removeContents = Effect.fnUntraced(function* (
  { sql, isSpread }: { readonly sql: PgClient.PgClient; readonly isSpread: boolean },
  workspace: number,
  events: ReadonlyArray<RemovedEvent>
) {
  const allow = Effect.fnUntraced(function* (allowed: "on" | "off") {
    yield* sql.unsafe(`SET LOCAL cairn.removes_content = '${allowed}'`)
  })
  const sequences = numbers(events.map(({ sequence }) => sequence))
  // Where the log is spread, the workspace's machine must know of it too.
  if (isSpread) yield* sql`SET LOCAL citus.propagate_set_commands = 'local'`
  yield* allow("on")
  yield* sql.unsafe(
    `UPDATE event e SET content = NULL, salt = NULL, content_hash = r.content_hash
     FROM unnest($2::bigint[], $3::text[]) AS r (sequence, content_hash)
     WHERE e.workspace = $1::bigint AND e.sequence = r.sequence AND e.content IS NOT NULL`,
    [workspace, sequences, texts(events.map(({ contentHash }) => contentHash))]
  )
  yield* allow("off")
})

/** The files belong to the server; dead rows are removed from them by the next VACUUM. */
const scrub = Effect.fnUntraced(
  function* (tables: KeyedTables) {
    const { begun, scrubbed } = yield* removalTally(tables)
    if (begun > scrubbed) yield* noteScrubbed(tables, begun)
  },
  againIfMadeMeanwhile,
  unavailable("note that a removal is done")
)

/** The removal of contents. */
export const layer = Layer.effect(
  ContentRemoval,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const tables = { sql, keys: yield* WorkspaceKeys }
    const workspaces = yield* WorkspaceNumbers
    const places = yield* Places
    const seen = yield* SeenHeads
    const index = { store: frameRows(sql), readContents: contentsOf(sql) }

    const remove = Effect.fnUntraced(
      function* (
        workspaceId: string,
        events: ReadonlyArray<RemovedEvent>,
        record: ((head: Head, now: Micros.Micros) => Append) | null
      ) {
        const workspace = yield* workspaces.number(workspaceId)
        yield* forgetEvents(tables, workspaceId, events)
        if (events.length > 0) {
          const sequences = events.map(({ sequence }) => sequence)
          yield* removeFromIndex(sql, { ...index, workspace }, sequences)
          yield* freeKeys(sql, workspace, keysOf(events))
        }
        if (record !== null) {
          const place = { sql, seen, workspaceId, workspace }
          const locked = yield* holdHead(place)
          yield* writeAppend(place, locked, record(locked.head, locked.now), [])
        }
        if (events.length > 0) yield* removeContents({ sql, isSpread: places.spread }, workspace, events)
      },
      (effect) => sql.withTransaction(effect),
      againIfMadeMeanwhile,
      seen.noted,
      unavailable("remove content")
    )

    const discard = Effect.fnUntraced(
      function* (workspaceId: string, unwanted: (event: PendingEvent, acceptedAt: Micros.Micros) => boolean) {
        const workspace = yield* workspaces.number(workspaceId)
        const events = yield* discardParked(sql, workspace, unwanted)
        const keys = events.map(({ id, idempotencyKey }) => ({ id, key: idempotencyKey }))
        yield* freeKeys(sql, workspace, keys)
        if (events.length > 0) yield* noteRemoval(tables)
        return events.length
      },
      (effect) => sql.withTransaction(effect),
      againIfMadeMeanwhile,
      unavailable("discard parked events")
    )

    return ContentRemoval.of({
      ...consumptionRemoval(tables),
      remove,
      discardParked: discard,
      scrub: scrub(tables)
    })
  })
)
