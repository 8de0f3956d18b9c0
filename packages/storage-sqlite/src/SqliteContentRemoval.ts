/**
 * Removal of content on SQLite, over four files. Derived data is removed first, the content last, so that
 * after a crash in between the removal can be repeated. The search index's file stays locked until the
 * content is removed; otherwise the texts might be indexed again.
 */

import type { Micros } from "@cairn/core/encoding"
import { parseContent } from "@cairn/core/event"
import type { Append, Head, PendingEvent } from "@cairn/core/log"
import { ContentRemoval, type RemovedEvent } from "@cairn/core/retention"
import {
  contentsOf,
  discardParked,
  forgetActors,
  forgetEvents,
  forgetRows,
  frameRows,
  noteRemoval,
  noteScrubbed,
  removalTally,
  removeFromFrames,
  toHead,
  unavailable
} from "@cairn/storage-sql"
import { Clock, Effect, Layer } from "effect"
import { insertEvents, readHead, transaction, writeHead } from "./Append.ts"
import { type IdempotencyKeys, idempotencyKeys } from "./IdempotencyKeys.ts"
import { scrubFiles } from "./Scrub.ts"
import { emptyIfBehind } from "./SearchRecovery.ts"
import { noteFile, searchState } from "./SeenFiles.ts"
import type { SqliteDatabase } from "./SqliteClient.ts"
import { SqliteFiles } from "./SqliteFiles.ts"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

/** Removes the contents from the log, within an open transaction. */
const removeContents = (
  { prepare }: SqliteDatabase,
  workspace: number,
  events: ReadonlyArray<RemovedEvent>
): void => {
  const permit = prepare("INSERT INTO removal_permit (workspace, sequence) VALUES (?, ?)")
  // The last columns are those of a log of before.
  const removeContent = prepare(`
    UPDATE event SET content = NULL, salt = NULL, content_hash = ?, action = NULL, actor_id = NULL,
      resource_type = NULL, resource_id = NULL, tenant_id = NULL, session_id = NULL
    WHERE workspace = ? AND sequence = ? AND content IS NOT NULL`)
  for (const { sequence, contentHash } of events) {
    permit.run(workspace, sequence)
    removeContent.run(contentHash, workspace, sequence)
  }
  prepare("DELETE FROM removal_permit").run()
}

/** The idempotency key of an event, if it has one. */
interface KeyOfEvent {
  readonly id: string
  readonly key: string | null | undefined
}

/** Frees keys, within a transaction. */
const freeKeys = (keys: IdempotencyKeys, workspace: number, events: ReadonlyArray<KeyOfEvent>): void => {
  keys.begin()
  for (const { id, key } of events) if (key) keys.free(workspace, key, id)
}

/** The removal of contents. */
export const layer = Layer.effect(
  ContentRemoval,
  Effect.gen(function* () {
    const { log, inbox, search, consumers } = yield* SqliteFiles
    const numbers = yield* WorkspaceNumbers
    const frames = frameRows(search)
    const readContents = contentsOf(log)
    const keys = idempotencyKeys(inbox.database)

    const remove = Effect.fnUntraced(function* (
      workspaceId: string,
      events: ReadonlyArray<RemovedEvent>,
      record: ((head: Head, now: Micros.Micros) => Append) | null
    ) {
      const workspace = numbers.number(workspaceId)
      if (workspace === undefined) return yield* Effect.die(new Error(`there is no workspace ${workspaceId}`))
      const clock = yield* Clock.Clock
      yield* consumers.withTransaction(forgetEvents(consumers, workspaceId, events))
      yield* inbox.use("free idempotency keys", (database) =>
        transaction(database, () =>
          freeKeys(
            keys,
            workspace,
            events.map(({ id, content }) => ({ id, key: parseContent(content)?.idempotency_key }))
          )
        )
      )
      yield* search.withTransaction(
        Effect.gen(function* () {
          yield* emptyIfBehind(log.database, search.database)
          const sequences = events.map(({ sequence }) => sequence)
          yield* removeFromFrames({ store: frames, readContents, workspace }, sequences)
          yield* search`UPDATE search_file SET removals = removals + 1`
          yield* log.use("remove content", (database) =>
            transaction(database, () => {
              if (record !== null) {
                const before = toHead(readHead(database, workspace))
                const now = Number(clock.currentTimeNanosUnsafe() / 1000n)
                const { events: records, head } = record(before, now)
                insertEvents(database, workspace, records)
                writeHead(database, workspace, head)
              }
              removeContents(database, workspace, events)
              // Committed before the index: an index that missed this removal, for any reason, is built
              // again.
              noteFile(database, "search", searchState(search.database))
            })
          )
        })
      )
      // A consumer that read a content before it was removed may have written something derived from it
      // since.
      yield* consumers.withTransaction(forgetEvents(consumers, workspaceId, events))
    }, unavailable("remove content"))

    const tally = removalTally(consumers)

    const scrub = Effect.gen(function* () {
      const { begun, scrubbed } = yield* tally
      if (begun <= scrubbed) return
      yield* search.withTransaction(emptyIfBehind(log.database, search.database))
      yield* scrubFiles([log, inbox, search, consumers].map(({ config }) => config.filename))
      yield* noteScrubbed(consumers, begun)
    }).pipe(unavailable("scrub the files"))

    const discard = Effect.fnUntraced(function* (
      workspaceId: string,
      unwanted: (event: PendingEvent, acceptedAt: Micros.Micros) => boolean
    ) {
      const workspace = numbers.number(workspaceId)
      if (workspace === undefined) return 0
      const parked = yield* inbox`SELECT 1 FROM parked WHERE workspace = ${workspace} LIMIT 1`
      if (parked.length === 0) return 0
      yield* noteRemoval(consumers)
      const discarded = discardParked(inbox, workspace, unwanted).pipe(
        Effect.tap((events) =>
          Effect.sync(() =>
            freeKeys(
              keys,
              workspace,
              events.map(({ id, idempotencyKey }) => ({ id, key: idempotencyKey }))
            )
          )
        )
      )
      return (yield* inbox.withTransaction(discarded)).length
    }, unavailable("discard parked events"))

    return ContentRemoval.of({
      remove,
      discardParked: discard,
      forget: (workspaceId, text) =>
        consumers
          .withTransaction(forgetRows(consumers, workspaceId, text))
          .pipe(unavailable("forget what consumers remember")),
      forgetActors: (workspaceId, actorIds, expiredBy) =>
        consumers
          .withTransaction(forgetActors(consumers, workspaceId, actorIds, expiredBy))
          .pipe(unavailable("forget actors")),
      unfinished: Effect.map(tally, ({ begun, scrubbed }) => begun > scrubbed).pipe(
        unavailable("look for an unfinished removal")
      ),
      scrub
    })
  })
)
