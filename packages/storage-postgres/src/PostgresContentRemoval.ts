/**
 * Removal of content on PostgreSQL: one transaction. Dead rows are removed from the files by the next vacuum;
 * a dump never contains them.
 */

import type { Micros } from "@cairn/core/encoding"
import { parseContent } from "@cairn/core/event"
import type { Append, Head } from "@cairn/core/log"
import { ContentRemoval, type RemovedEvent } from "@cairn/core/retention"
import {
  contentsOf,
  discardParked,
  eventIdBytes,
  forgetActors,
  forgetEvents,
  forgetRows,
  frameRows,
  keyHash,
  noteRemoval,
  noteScrubbed,
  removalTally,
  removeFromFrames,
  unavailable
} from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { holdHead, writeAppend } from "./Append.ts"
import { blobs, numbers, texts } from "./PostgresTypes.ts"
import { makePosition } from "./SearchIndex.ts"
import { SeenHeads } from "./SeenHeads.ts"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

/** The removal of contents. */
export const layer = Layer.effect(
  ContentRemoval,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const workspaces = yield* WorkspaceNumbers
    const seen = yield* SeenHeads
    const frames = frameRows(sql)
    const readContents = contentsOf(sql)

    /**
     * A process that indexes holds the position's lock from reading contents to writing their text. It also
     * does while it makes the position of a log that has none, where there is nothing to lock yet.
     */
    const removeFromIndex = Effect.fnUntraced(function* (
      workspace: number,
      sequences: ReadonlyArray<number>
    ) {
      yield* makePosition(sql, workspace)
      yield* sql`SELECT sequence FROM search_position WHERE workspace = ${workspace} FOR UPDATE`
      yield* removeFromFrames({ store: frames, readContents, workspace }, sequences)
    })

    /** In sorted order, as keys are claimed, so that nobody deadlocks. */
    const removeKeys = Effect.fnUntraced(function* (
      workspace: number,
      events: ReadonlyArray<{ readonly id: string; readonly key: string | null | undefined }>
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

    const removeContents = Effect.fnUntraced(function* (
      workspace: number,
      events: ReadonlyArray<RemovedEvent>
    ) {
      const sequences = numbers(events.map(({ sequence }) => sequence))
      yield* sql`SELECT set_config('cairn.removes_content', 'on', true)`
      yield* sql.unsafe(
        `UPDATE event e SET content = NULL, salt = NULL, content_hash = r.content_hash
         FROM unnest($2::bigint[], $3::text[]) AS r (sequence, content_hash)
         WHERE e.workspace = $1::bigint AND e.sequence = r.sequence AND e.content IS NOT NULL`,
        [workspace, sequences, texts(events.map(({ contentHash }) => contentHash))]
      )
      yield* sql`SELECT set_config('cairn.removes_content', 'off', true)`
    })

    const remove = Effect.fnUntraced(
      function* (
        workspaceId: string,
        events: ReadonlyArray<RemovedEvent>,
        record: ((head: Head, now: Micros.Micros) => Append) | null
      ) {
        const workspace = yield* workspaces.number(workspaceId)
        yield* forgetEvents(sql, workspaceId, events)
        if (events.length > 0) {
          yield* removeFromIndex(
            workspace,
            events.map(({ sequence }) => sequence)
          )
          yield* removeKeys(
            workspace,
            events.map(({ id, content }) => ({ id, key: parseContent(content)?.idempotency_key }))
          )
        }
        if (record !== null) {
          const place = { sql, seen, workspaceId, workspace }
          const locked = yield* holdHead(place)
          yield* writeAppend(place, locked, record(locked.head, locked.now), [])
        }
        if (events.length > 0) yield* removeContents(workspace, events)
      },
      (effect) => sql.withTransaction(effect),
      seen.noted,
      unavailable("remove content")
    )

    return ContentRemoval.of({
      remove,
      discardParked: (workspaceId, unwanted) =>
        Effect.gen(function* () {
          const workspace = yield* workspaces.number(workspaceId)
          const events = yield* discardParked(sql, workspace, unwanted)
          yield* removeKeys(
            workspace,
            events.map(({ id, idempotencyKey }) => ({ id, key: idempotencyKey }))
          )
          if (events.length > 0) yield* noteRemoval(sql)
          return events.length
        }).pipe(sql.withTransaction, unavailable("discard parked events")),
      forget: (workspaceId, text) =>
        sql
          .withTransaction(forgetRows(sql, workspaceId, text))
          .pipe(unavailable("forget what consumers remember")),
      forgetActors: (workspaceId, actorIds, expiredBy) =>
        sql
          .withTransaction(forgetActors(sql, workspaceId, actorIds, expiredBy))
          .pipe(unavailable("forget actors")),
      unfinished: Effect.map(removalTally(sql), ({ begun, scrubbed }) => begun > scrubbed).pipe(
        unavailable("look for an unfinished removal")
      ),
      // The files belong to the server; dead rows are removed from them by the next VACUUM.
      scrub: Effect.gen(function* () {
        const { begun, scrubbed } = yield* removalTally(sql)
        if (begun > scrubbed) yield* noteScrubbed(sql, begun)
      }).pipe(unavailable("note that a removal is done"))
    })
  })
)
