/**
 * Erasure: contents are removed because privacy law requires it, at once and wherever Cairn stores them.
 *
 * The contents and the event that records their erasure are changed in one transaction per chunk. For
 * contents in the archive, the record comes first, then the file is replaced. After an interruption, erasing
 * again finds what is still in a file. Messages that were delivered, log streams and backups cannot be
 * erased.
 */
import { Context, Effect, Layer, Option, Schedule, Schema } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { contentText } from "../event/ContentWriter.ts"
import { parseContent } from "../event/EventContent.ts"
import { nowhere } from "../event/GeoIp.ts"
import { Exports } from "../export/Exports.ts"
import { Randomness } from "../hashing/Randomness.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { EventCounts } from "../log/EventCounts.ts"
import { EventLog, type LogEntry } from "../log/EventLog.ts"
import { Inbox, type PendingEvent } from "../log/Inbox.ts"
import { Sequencer } from "../log/Sequencer.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { Archive, type ArchivedContent, type ArchiveUnavailable } from "./Archive.ts"
import { ContentRemoval, MAX_REMOVAL, type RemovedEvent } from "./ContentRemoval.ts"
import { departedActors } from "./DepartedActors.ts"
import { removable } from "./RemovableEvents.ts"
import { eventsErased } from "./RemovalEvent.ts"

/** What is to be erased: single events, or all events of an actor. */
type ErasureTarget = { readonly eventIds: ReadonlyArray<string> } | { readonly actorId: string }

/** There is nothing to erase: none of these events has content, or there are none. */
export class NothingToErase extends Schema.TaggedError<NothingToErase>()("NothingToErase", {
  workspaceId: Schema.String
}) {}

/** What an erasure would find now. */
interface ErasurePreview {
  /** Events with content in the log or in the archive, ascending. */
  readonly sequences: ReadonlyArray<number>
  /** How many of them have content in the archive. */
  readonly archived: number
  /**
   * Events of all workspaces that wait to be sequenced. Erasing looks at those of the workspace too, and at
   * requests that were set aside.
   */
  readonly waiting: number
}

/** What erasing needs. */
interface ErasureContext {
  readonly inbox: Inbox["Service"]
  readonly log: EventLog["Service"]
  readonly sequencer: Sequencer["Service"]
  readonly removal: ContentRemoval["Service"]
  readonly archive: Archive["Service"]
  readonly exports: Exports["Service"]
  readonly counts: EventCounts["Service"]
  readonly sha256: Sha256["Service"]
  readonly random: Randomness["Service"]
}

/** Which of these sequences can be erased. */
const read = Effect.fnUntraced(function* (
  { log, sha256 }: ErasureContext,
  workspaceId: string,
  sequences: ReadonlyArray<number>
) {
  const rows = yield* Effect.forEach(sequences, (sequence) => log.entries(workspaceId, sequence, 1))
  return removable(
    sha256,
    workspaceId,
    rows.flat().filter(({ sequence }) => sequences.includes(sequence))
  )
})

const eraseChunk = Effect.fnUntraced(function* (
  context: ErasureContext,
  workspaceId: string,
  events: ReadonlyArray<RemovedEvent>,
  reason: string
) {
  const { removal, log, sha256, random } = context
  const sequences = events.map(({ sequence }) => sequence)
  if (events.length === 0) return sequences
  yield* removal.remove(workspaceId, events, eventsErased({ workspaceId, sha256, random }, sequences, reason))
  yield* removal.forgetActors(workspaceId, yield* departedActors(log, workspaceId, events), null)
  return sequences
})

const eraseActor = Effect.fnUntraced(function* (
  context: ErasureContext,
  workspaceId: string,
  actorId: string,
  reason: string
) {
  const { log } = context
  const erased: Array<number> = []
  for (let before: number | null = null; ; ) {
    const page: ReadonlyArray<LogEntry> = yield* log.page(workspaceId, {
      filter: { actorId },
      before,
      limit: MAX_REMOVAL
    })
    const last = page.at(-1)
    if (last === undefined) return erased
    const events = yield* read(
      context,
      workspaceId,
      page.map(({ sequence }) => sequence)
    )
    erased.push(...(yield* eraseChunk(context, workspaceId, events, reason)))
    // Erased events are not found again; those that are kept are, and must not hide the ones before them.
    if (events.length === 0) before = last.createdAt
  }
})

const eraseEvents = Effect.fnUntraced(function* (
  context: ErasureContext,
  workspaceId: string,
  eventIds: ReadonlyArray<string>,
  reason: string
) {
  const { log } = context
  const erased: Array<number> = []
  for (let done = 0; done < eventIds.length; done += MAX_REMOVAL) {
    const ids = eventIds.slice(done, done + MAX_REMOVAL)
    const found = yield* Effect.forEach(ids, (id) => log.get(workspaceId, id))
    const events = yield* read(
      context,
      workspaceId,
      found.flatMap((entry) => (Option.isSome(entry) ? [entry.value.sequence] : []))
    )
    erased.push(...(yield* eraseChunk(context, workspaceId, events, reason)))
  }
  return erased
})

/** Erases contents in the log and returns the sequences. */
const eraseFromLog = (context: ErasureContext, workspaceId: string, target: ErasureTarget, reason: string) =>
  "actorId" in target
    ? eraseActor(context, workspaceId, target.actorId, reason)
    : eraseEvents(context, workspaceId, target.eventIds, reason)

/** Sequences of a target's archived contents. */
const findArchived = Effect.fnUntraced(function* (
  { archive, log }: ErasureContext,
  workspaceId: string,
  target: ErasureTarget
) {
  if ("actorId" in target)
    return yield* archive.find(workspaceId, ({ actor }: ArchivedContent) => actor.id === target.actorId)
  const entries = yield* Effect.forEach(target.eventIds, (id) => log.get(workspaceId, id))
  const asked = new Set(entries.flatMap((entry) => Option.toArray(entry)).map(({ sequence }) => sequence))
  return yield* archive.find(workspaceId, ({ sequence }) => asked.has(sequence))
})

const eraseAll = Effect.fnUntraced(function* (
  context: ErasureContext,
  workspaceId: string,
  target: ErasureTarget,
  reason: string
) {
  const { removal, archive, sha256, random } = context
  // Before any change: if the archive cannot be reached, nothing is changed.
  const archived = yield* findArchived(context, workspaceId, target)
  const erased = yield* eraseFromLog(context, workspaceId, target, reason)
  const alone = archived.filter((sequence) => !erased.includes(sequence))
  for (let at = 0; at < alone.length; at += MAX_REMOVAL) {
    const sequences = alone.slice(at, at + MAX_REMOVAL)
    yield* removal.remove(workspaceId, [], eventsErased({ workspaceId, sha256, random }, sequences, reason))
  }
  if (archived.length > 0) yield* archive.erase(workspaceId, archived)
  return [...erased, ...alone]
})

/** Sequences of an actor's contents that can be erased. */
const findActor = Effect.fnUntraced(function* (
  context: ErasureContext,
  workspaceId: string,
  actorId: string
) {
  const found: Array<number> = []
  for (let before: number | null = null; ; ) {
    const page: ReadonlyArray<LogEntry> = yield* context.log.page(workspaceId, {
      filter: { actorId },
      before,
      limit: MAX_REMOVAL
    })
    const last = page.at(-1)
    if (last === undefined) return found
    const sequences = page.map(({ sequence }) => sequence)
    for (const { sequence } of yield* read(context, workspaceId, sequences)) found.push(sequence)
    before = last.createdAt
  }
})

/** Sequences of events that are named, as far as their contents can be erased. */
const findEvents = Effect.fnUntraced(function* (
  context: ErasureContext,
  workspaceId: string,
  eventIds: ReadonlyArray<string>
) {
  const entries = yield* Effect.forEach(eventIds, (id) => context.log.get(workspaceId, id))
  const sequences = entries.flatMap((entry) => Option.toArray(entry)).map(({ sequence }) => sequence)
  const events = yield* Effect.forEach(sequences, (sequence) => read(context, workspaceId, [sequence]))
  return events.flat().map(({ sequence }) => sequence)
})

const preview = Effect.fn("Erasure.preview")(function* (
  context: ErasureContext,
  workspaceId: string,
  target: ErasureTarget
) {
  const archived = yield* findArchived(context, workspaceId, target)
  const inLog = yield* "actorId" in target
    ? findActor(context, workspaceId, target.actorId)
    : findEvents(context, workspaceId, target.eventIds)
  const sequences = Array.from(new Set([...inLog, ...archived])).sort((a, b) => a - b)
  return { sequences, archived: archived.length, waiting: yield* context.inbox.depth }
})

const isParked = (target: ErasureTarget): ((event: PendingEvent) => boolean) => {
  if ("eventIds" in target) return ({ id }) => target.eventIds.includes(id)
  return ({ content }) => parseContent(contentText(content, nowhere))?.actor.id === target.actorId
}

/** A server that writes has the locks that appending needs again and again, and comes back to them later. */
const WAIT_FOR_SERVER = { times: 50, schedule: Schedule.spaced("100 millis") }

/**
 * Sequences what waits now. A server that accepts more all the time adds to it: there is no end to wait for.
 */
const sequenceWaiting = Effect.fnUntraced(function* (
  { inbox, sequencer }: ErasureContext,
  workspaceId: string
) {
  let left = yield* inbox.depth
  for (;;) {
    const { count } = yield* Effect.retry(sequencer.advance(workspaceId), WAIT_FOR_SERVER)
    left -= count
    if (count === 0 || left <= 0) return
  }
})

const erase = Effect.fn("Erasure.erase")(function* (
  context: ErasureContext,
  workspaceId: string,
  target: ErasureTarget,
  reason: string
) {
  const { removal, archive, exports, counts } = context
  // An earlier run may have been interrupted after it had erased exactly this.
  const unfinished = yield* removal.unfinished
  // Events that still wait are erased too, once they are sequenced.
  yield* sequenceWaiting(context, workspaceId)
  const erased = yield* archive.exclusively(workspaceId, eraseAll(context, workspaceId, target, reason))
  const parked = yield* removal.discardParked(workspaceId, isParked(target))
  const found = erased.length + parked > 0
  if (!found && !unfinished) return yield* new NothingToErase({ workspaceId })
  const actorId = "actorId" in target ? target.actorId : null
  if (actorId !== null) yield* removal.forget(workspaceId, actorId)
  yield* exports.withdraw(workspaceId, yield* Micros.now, actorId)
  counts.forget(workspaceId)
  yield* removal.scrub
  if (!found) return yield* new NothingToErase({ workspaceId })
  return erased
})

/** The use case *erase*. */
export class Erasure extends Context.Service<
  Erasure,
  {
    /**
     * Erases for a reason in the operator's own words, which becomes part of the log. Returns the erased
     * sequences.
     */
    readonly erase: (
      workspaceId: string,
      target: ErasureTarget,
      reason: string
    ) => Effect.Effect<ReadonlyArray<number>, NothingToErase | ArchiveUnavailable | StorageUnavailable>
    /** What `erase` would erase; changes nothing. Costs reading these events, and the archive's files. */
    readonly preview: (
      workspaceId: string,
      target: ErasureTarget
    ) => Effect.Effect<ErasurePreview, ArchiveUnavailable | StorageUnavailable>
  }
>()("@cairn/core/Erasure") {
  static readonly layer = Layer.effect(
    Erasure,
    Effect.gen(function* () {
      const context: ErasureContext = {
        inbox: yield* Inbox,
        log: yield* EventLog,
        sequencer: yield* Sequencer,
        removal: yield* ContentRemoval,
        archive: yield* Archive,
        exports: yield* Exports,
        counts: yield* EventCounts,
        sha256: yield* Sha256,
        random: yield* Randomness
      }
      return Erasure.of({
        erase: (workspaceId, target, reason) => erase(context, workspaceId, target, reason),
        preview: (workspaceId, target) => preview(context, workspaceId, target)
      })
    })
  )
}
