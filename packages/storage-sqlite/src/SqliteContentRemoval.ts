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
  consumptionRemoval,
  contentsOf,
  discardParked,
  forgetEvents,
  frameRows,
  type KeyedTables,
  noteRemoval,
  noteScrubbed,
  removalTally,
  removeFromFrames,
  toHead,
  unavailable,
  WorkspaceIds
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

/** The keys that these events were accepted with. */
const keysOf = (events: ReadonlyArray<RemovedEvent>): ReadonlyArray<KeyOfEvent> =>
  events.map(({ id, content }) => ({ id, key: parseContent(content)?.idempotency_key }))

/** Frees keys, within a transaction. */
const freeKeys = (keys: IdempotencyKeys, workspace: number, events: ReadonlyArray<KeyOfEvent>): void => {
  keys.begin()
  for (const { id, key } of events) if (key) keys.free(workspace, key, id)
}

/** Appends the events that record a removal, within an open transaction. */
const appendRecord = (
  log: SqliteDatabase,
  workspace: number,
  record: (head: Head, now: Micros.Micros) => Append,
  now: Micros.Micros
): void => {
  const { events, head } = record(toHead(readHead(log, workspace)), now)
  insertEvents(log, workspace, events)
  writeHead(log, workspace, head)
}

/** The tables of the consumers. */
const tablesOf = ({ consumers }: SqliteFiles["Service"]): KeyedTables => ({
  sql: consumers,
  keys: WorkspaceIds.workspaceIds
})

/** Overwrites what was removed in all the files, if anything was since it was last done. */
const scrub = Effect.fnUntraced(function* (files: SqliteFiles["Service"]) {
  const { log, inbox, search, consumers } = files
  const tables = tablesOf(files)
  const { begun, scrubbed } = yield* removalTally(tables)
  if (begun <= scrubbed) return
  yield* search.withTransaction(emptyIfBehind(log.database, search.database))
  yield* scrubFiles([log, inbox, search, consumers].map(({ config }) => config.filename))
  yield* noteScrubbed(tables, begun)
}, unavailable("scrub the files"))

/** The removal of contents. */
export const layer = Layer.effect(
  ContentRemoval,
  Effect.gen(function* () {
    const files = yield* SqliteFiles
    const { log, inbox, search, consumers } = files
    const numbers = yield* WorkspaceNumbers
    const tables = tablesOf(files)
    const index = { store: frameRows(search), readContents: contentsOf(log) }
    const keys = idempotencyKeys(inbox.database)

    const remove = Effect.fnUntraced(function* (
      workspaceId: string,
      events: ReadonlyArray<RemovedEvent>,
      record: ((head: Head, now: Micros.Micros) => Append) | null
    ) {
      const workspace = numbers.number(workspaceId)
      if (workspace === undefined) return yield* Effect.die(new Error(`there is no workspace ${workspaceId}`))
      const clock = yield* Clock.Clock
      yield* consumers.withTransaction(forgetEvents(tables, workspaceId, events))
      yield* inbox.use("free idempotency keys", (database) =>
        transaction(database, () => freeKeys(keys, workspace, keysOf(events)))
      )
      yield* search.withTransaction(
        Effect.gen(function* () {
          yield* emptyIfBehind(log.database, search.database)
          const sequences = events.map(({ sequence }) => sequence)
          yield* removeFromFrames({ ...index, workspace }, sequences)
          yield* search`UPDATE search_file SET removals = removals + 1`
          yield* log.use("remove content", (database) =>
            transaction(database, () => {
              const now = Number(clock.currentTimeNanosUnsafe() / 1000n)
              if (record !== null) appendRecord(database, workspace, record, now)
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
      yield* consumers.withTransaction(forgetEvents(tables, workspaceId, events))
    }, unavailable("remove content"))

    const discard = Effect.fnUntraced(function* (
      workspaceId: string,
      unwanted: (event: PendingEvent, acceptedAt: Micros.Micros) => boolean
    ) {
      const workspace = numbers.number(workspaceId)
      if (workspace === undefined) return 0
      const parked = yield* inbox`SELECT 1 FROM parked WHERE workspace = ${workspace} LIMIT 1`
      if (parked.length === 0) return 0
      yield* noteRemoval(tables)
      const discarding = Effect.map(discardParked(inbox, workspace, unwanted), (events) => {
        const held = events.map(({ id, idempotencyKey }) => ({ id, key: idempotencyKey }))
        freeKeys(keys, workspace, held)
        return events.length
      })
      return yield* inbox.withTransaction(discarding)
    }, unavailable("discard parked events"))

    return ContentRemoval.of({
      ...consumptionRemoval(tables),
      remove,
      discardParked: discard,
      scrub: scrub(files)
    })
  })
)
