/**
 * The archive: contents that retention is about to remove are first written to a store of the operator's.
 *
 * Its progress is a consumer's position, so nothing is removed that is not in a durable file. A crash leaves
 * at most a file whose events are still in the log: the next run writes it again, under the same name. A
 * process that writes files of a workspace holds that consumer, so that erased contents are not written back.
 */
import { Context, Duration, Effect, Layer, Option, Schema, Stream } from "effect"
import { BEFORE_FIRST_EVENT, type ConsumerPosition, Consumers } from "../consumer/Consumers.ts"
import { whileHeld } from "../consumer/KeptHold.ts"
import * as Micros from "../encoding/Micros.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { EventLog, type LogEntry } from "../log/EventLog.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import {
  ARCHIVE_TYPE,
  type ArchivedEvent,
  archiveName,
  firstOfArchive,
  packArchive,
  repackArchive,
  unpackArchive
} from "./ArchiveFile.ts"
import { ArchiveStore } from "./ArchiveStore.ts"
import { removable } from "./RemovableEvents.ts"
import { isKept } from "./RemovalEvent.ts"

/** The consumer whose position is how far contents were archived. */
const ARCHIVE_CONSUMER = "archive"

/** Most events of one file. */
const ARCHIVE_EVENTS = 10_000
/** Rows of the log read at once. */
const CHUNK = 500
/** How long a process that writes may be silent before another takes over. */
const HOLD: Micros.Micros = 60 * Micros.SECOND
/** How often it renews its hold. */
const KEEP_EVERY = Duration.seconds(10)
/** How often, and how many times, a process checks whether another has finished. */
const ASK_EVERY = Duration.millis(500)
const ASKS = 240

/** The archive cannot be written or read now; nothing was removed. */
export class ArchiveUnavailable extends Schema.TaggedError<ArchiveUnavailable>()("ArchiveUnavailable", {
  /** The operation that failed, for the operator's log. */
  operation: Schema.String,
  cause: Schema.Defect()
}) {}

/** The sequences to erase from an archive, or to look up in it. */
export type ArchivedContent = NonNullable<ArchivedEvent["content"]> & Pick<ArchivedEvent, "sequence">

/** The use case *archive*. */
interface ArchiveShape {
  /** When it returns, every content from `from` on and below `below` is in a durable file. */
  readonly advance: (
    workspaceId: string,
    from: number,
    below: number
  ) => Effect.Effect<void, ArchiveUnavailable | StorageUnavailable>
  /** Runs while no other process writes files of the workspace; waits for one that does. */
  readonly exclusively: <A, E, R>(
    workspaceId: string,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | ArchiveUnavailable | StorageUnavailable, R>
  /** Sequences of the requested archived contents, except Cairn's own records. Reads every file. */
  readonly find: (
    workspaceId: string,
    wanted: (content: ArchivedContent) => boolean
  ) => Effect.Effect<ReadonlyArray<number>, ArchiveUnavailable>
  /**
   * Removes the contents of these sequences from their files, which are replaced. Must run within {@link
   * ArchiveShape.exclusively}.
   */
  readonly erase: (
    workspaceId: string,
    sequences: ReadonlyArray<number>
  ) => Effect.Effect<void, ArchiveUnavailable>
}

const unavailable = (operation: string) =>
  Effect.mapError((cause: unknown) => new ArchiveUnavailable({ operation, cause }))

/** What archiving needs. */
interface ArchiveContext {
  readonly store: ArchiveStore["Service"]
  readonly log: EventLog["Service"]
  readonly consumers: Consumers["Service"]
  readonly random: Randomness["Service"]
  readonly sha256: Sha256["Service"]
}

const keyOf = (workspaceId: string) => ({ workspaceId, consumer: ARCHIVE_CONSUMER })

const hold = Effect.fnUntraced(function* (
  { consumers }: ArchiveContext,
  workspaceId: string,
  holder: string
) {
  const at = yield* Micros.now
  return yield* consumers.hold(keyOf(workspaceId), { holder, at, until: at + HOLD })
})

const take = Effect.fnUntraced(function* (context: ArchiveContext, workspaceId: string, holder: string) {
  const { consumers } = context
  yield* consumers.open(keyOf(workspaceId), BEFORE_FIRST_EVENT, yield* Micros.now)
  for (let asks = 0; asks < ASKS; asks++) {
    if (Option.isSome(yield* hold(context, workspaceId, holder))) return
    yield* Effect.sleep(ASK_EVERY)
  }
  return yield* new ArchiveUnavailable({
    operation: "wait",
    cause: new Error("another process holds it")
  })
})

const exclusively = <A, E, R>(
  context: ArchiveContext,
  workspaceId: string,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | ArchiveUnavailable | StorageUnavailable, R> =>
  Effect.gen(function* () {
    const holder = uuid(context.random)
    const lost = new ArchiveUnavailable({
      operation: "hold",
      cause: new Error("another process took it")
    })
    const keep = Effect.gen(function* () {
      if (Option.isNone(yield* hold(context, workspaceId, holder))) return yield* lost
    })
    yield* take(context, workspaceId, holder)
    return yield* whileHeld(effect, KEEP_EVERY, keep).pipe(
      Effect.ensuring(Effect.ignore(context.consumers.release(keyOf(workspaceId), holder)))
    )
  })

/**
 * Where the next file begins: at a content that must be removed, so that a file is never replaced by one with
 * fewer contents.
 */
const nextFirst = Effect.fnUntraced(function* (
  { log, sha256 }: ArchiveContext,
  workspaceId: string,
  from: number,
  below: number
) {
  for (let next = from; next < below; ) {
    const rows = yield* log.entries(workspaceId, next, CHUNK)
    const [first] = removable(sha256, workspaceId, rows)
    if (first !== undefined) return first.sequence < below ? first.sequence : undefined
    const last = rows.at(-1)
    if (last === undefined) return undefined
    next = last.sequence + 1
  }
  return undefined
})

/** Writes the file that begins with `first` and returns its last sequence. */
const writeFile = Effect.fnUntraced(function* (
  { log, store }: ArchiveContext,
  workspaceId: string,
  first: number,
  below: number
) {
  const end = first < 1 ? Math.min(below, 1) : below
  const state = { last: first, events: 0 }
  const events = Stream.paginate(first, (next: number) =>
    Effect.map(log.entries(workspaceId, next, Math.min(CHUNK, ARCHIVE_EVENTS - state.events)), (rows) => {
      const within: ReadonlyArray<LogEntry> = rows.filter(({ sequence }) => sequence < end)
      const last = within.at(-1)
      state.last = last?.sequence ?? state.last
      state.events += within.length
      const more = last !== undefined && within.length === rows.length && state.events < ARCHIVE_EVENTS
      return [[within], more ? Option.some(last.sequence + 1) : Option.none<number>()] as const
    })
  )
  yield* store
    .write(archiveName(workspaceId, first), ARCHIVE_TYPE, packArchive(workspaceId, events))
    .pipe(
      Effect.catchTag("ExportStoreUnavailable", ({ operation, cause }) =>
        Effect.fail(new ArchiveUnavailable({ operation, cause }))
      )
    )
  return state.last
})

const move = Effect.fnUntraced(function* (
  { consumers }: ArchiveContext,
  position: ConsumerPosition,
  sequence: number
) {
  const at = yield* Micros.now
  const nothing = { rows: [], raised: [], deliveries: [], expiredBy: null }
  const moved = yield* consumers.commit(position, { ...nothing, sequence, at })
  if (Option.isSome(moved)) return moved.value
  return yield* new ArchiveUnavailable({
    operation: "note how far it has come",
    cause: new Error("it is paused, or another process took it")
  })
})

const advance = Effect.fn("Archive.advance")(function* (
  context: ArchiveContext,
  workspaceId: string,
  from: number,
  below: number
) {
  const { consumers } = context
  const archive = Effect.gen(function* () {
    let position = yield* consumers.open(keyOf(workspaceId), BEFORE_FIRST_EVENT, yield* Micros.now)
    while (position.sequence < below - 1) {
      const first = yield* nextFirst(context, workspaceId, Math.max(position.sequence + 1, from), below)
      const last = first === undefined ? below - 1 : yield* writeFile(context, workspaceId, first, below)
      position = yield* move(context, position, last)
    }
  })
  const known = yield* consumers.open(keyOf(workspaceId), BEFORE_FIRST_EVENT, yield* Micros.now)
  if (known.sequence < below - 1) yield* exclusively(context, workspaceId, archive)
})

const files = Effect.fnUntraced(function* ({ store }: ArchiveContext, workspaceId: string) {
  const names = yield* store.list(workspaceId).pipe(unavailable("list the archive"))
  return names
    .flatMap((name) => {
      const first = firstOfArchive(name)
      return first === undefined ? [] : [{ name, first }]
    })
    .sort((one, other) => one.first - other.first)
})

const find = Effect.fn("Archive.find")(function* (
  context: ArchiveContext,
  workspaceId: string,
  wanted: (content: ArchivedContent) => boolean
) {
  const { store } = context
  const found: Array<number> = []
  for (const { name } of yield* files(context, workspaceId)) {
    yield* Stream.runForEach(unpackArchive(name, store.read(name)), ({ sequence, content }) =>
      Effect.sync(() => {
        if (content !== null && !isKept(content.action) && wanted({ ...content, sequence }))
          found.push(sequence)
      })
    ).pipe(unavailable("read the archive"))
  }
  return found
})

const erase = Effect.fn("Archive.erase")(function* (
  context: ArchiveContext,
  workspaceId: string,
  sequences: ReadonlyArray<number>
) {
  const { store } = context
  const erased = new Set(sequences)
  const all = yield* files(context, workspaceId)
  for (const [at, { name, first }] of all.entries()) {
    const next = all[at + 1]?.first ?? Number.POSITIVE_INFINITY
    if (!sequences.some((sequence) => sequence >= first && sequence < next)) continue
    const rest = repackArchive(workspaceId, unpackArchive(name, store.read(name)), (sequence) =>
      erased.has(sequence)
    )
    yield* store.write(name, ARCHIVE_TYPE, rest).pipe(unavailable("take a content out of the archive"))
  }
})

/** The archive, in a store of files. */
export class Archive extends Context.Service<Archive, ArchiveShape>()("@cairn/core/Archive") {
  /** No archive: removed contents are lost. */
  static readonly layerNone = Layer.succeed(Archive, {
    advance: () => Effect.void,
    exclusively: (_, effect) => effect,
    find: () => Effect.succeed([]),
    erase: () => Effect.void
  })

  static readonly layer = Layer.effect(
    Archive,
    Effect.gen(function* () {
      const context: ArchiveContext = {
        store: yield* ArchiveStore,
        log: yield* EventLog,
        consumers: yield* Consumers,
        random: yield* Randomness,
        sha256: yield* Sha256
      }
      return Archive.of({
        advance: (workspaceId, from, below) => advance(context, workspaceId, from, below),
        exclusively: (workspaceId, effect) => exclusively(context, workspaceId, effect),
        find: (workspaceId, wanted) => find(context, workspaceId, wanted),
        erase: (workspaceId, sequences) => erase(context, workspaceId, sequences)
      })
    })
  )
}
