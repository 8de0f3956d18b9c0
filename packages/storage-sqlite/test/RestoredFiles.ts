/**
 * A database whose files are copied away and put back one by one, as operators and file systems do, and what
 * its operator is told.
 */
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { backup, DatabaseSync } from "node:sqlite"
import {
  acceptSignedLoss,
  CheckpointSigner,
  findSignedLoss,
  LogCheckpoints,
  LogTree
} from "@cairn/core/checkpoint"
import { Consumers } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { GeoIp } from "@cairn/core/event"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import {
  Acceptance,
  type AcceptOutcome,
  ClockGuard,
  EventLog,
  type LogEntry,
  SearchIndexer,
  Sequencer
} from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import { ChainVerifier } from "@cairn/core/verification"
import { FrameEvents } from "@cairn/storage-sql"
import { SqliteStorage, siblingFile } from "@cairn/storage-sqlite"
import { newWorkspace, sequence } from "@cairn/testing"
import { assert } from "@effect/vitest"
import { Effect, Layer, Logger, ManagedRuntime, Option } from "effect"

/** The files of a database. */
export const NAMES = ["log", "inbox", "search", "consumers"] as const
export type FileName = (typeof NAMES)[number]

/** The file of a database. */
export const fileOf = (filename: string, name: FileName): string =>
  name === "log" ? filename : siblingFile(filename, name)

/** Puts a file away, with all that is committed in it, as it is at this moment: it may be in use. */
export const putAway = async (filename: string, name: FileName, to: string): Promise<void> => {
  mkdirSync(dirname(to), { recursive: true })
  rmSync(to, { force: true })
  const source = new DatabaseSync(fileOf(filename, name), { readOnly: true })
  try {
    await backup(source, to, { rate: 2 ** 31 - 1 })
  } finally {
    source.close()
  }
}

/** Removes a file with what SQLite keeps beside it. Nobody may have it open. */
export const remove = (filename: string, name: FileName): void => {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${fileOf(filename, name)}${suffix}`, { force: true })
}

/** Puts a file back that was put away. Nobody may have it open. */
export const putBack = (filename: string, name: FileName, from: string): void => {
  remove(filename, name)
  copyFileSync(from, fileOf(filename, name))
}

/** Runs a query on one of the files, which may be in use. */
export const ask = (filename: string, name: FileName, sql: string) => {
  const file = fileOf(filename, name)
  if (!existsSync(file)) return []
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return db.prepare(sql).all()
  } finally {
    db.close()
  }
}

/** One error as the operator's log shows it. */
export type Told = string

/** Signs anything with nothing: what is signed matters here, not that it is. */
const signer = Layer.mock(CheckpointSigner)({
  current: Effect.succeed([
    {
      number: 1,
      name: "cairn/test",
      signer: { publicKey: new Uint8Array(32), sign: () => new Uint8Array(64) }
    }
  ])
})

const useCases = (filename: string, told: Array<Told>) =>
  Layer.mergeAll(Acceptance.layer, Sequencer.layer, ChainVerifier.layer, LogCheckpoints.layer).pipe(
    Layer.provide(signer),
    Layer.provideMerge(LogTree.layer),
    Layer.provide(GeoIp.layerNowhere),
    Layer.provideMerge(ClockGuard.layer),
    Layer.provideMerge(Layer.mergeAll(SqliteStorage.layer({ filename }), Sha256.layer, Randomness.layer)),
    // Some of what each test sends is in the index, and the rest is not enough for another frame.
    Layer.provide(Layer.succeed(FrameEvents, 20)),
    Layer.provide(
      Logger.layer([
        Logger.map(Logger.formatStructured, (line) => {
          if (line.level === "ERROR") told.push(JSON.stringify(line))
        })
      ])
    )
  )

/** The consumer that the tests of positions play. */
export const CONSUMER = "stream:test"

/** Opens the database, as a server does that starts. */
export const start = async (filename: string) => {
  const told: Array<Told> = []
  const runtime = ManagedRuntime.make(useCases(filename, told))
  await runtime.runPromise(Effect.void)

  const accept = (workspaceId: string, keys: ReadonlyArray<string | null>) =>
    runtime.runPromise(
      Effect.flatMap(Acceptance, ({ batch }) =>
        batch(
          { workspaceId, clientAddress: null, keysExpireBefore: null },
          JSON.stringify({
            events: keys.map((key) => ({
              actor_id: "ada",
              action: "thing.done",
              metadata: { note: `needle ${key}` },
              ...(key === null ? {} : { idempotency_key: key })
            }))
          })
        )
      ).pipe(Effect.map(({ outcomes }) => outcomes as ReadonlyArray<AcceptOutcome>))
    )

  return {
    filename,
    runtime,
    /** Errors that the operator was notified of so far. */
    told,
    newWorkspace: () => runtime.runPromise(newWorkspace),
    /** Sends one request with an event for each key. */
    accept,
    /** Sends requests of one event each, and returns their outcomes. */
    acceptEach: async (workspaceId: string, keys: ReadonlyArray<string>) =>
      (await Promise.all(keys.map((key) => accept(workspaceId, [key])))).flat(),
    /** Accepts this many access events, which are not counted, in one request. */
    acceptAccess: (workspaceId: string, count: number) =>
      runtime.runPromise(
        Effect.flatMap(Acceptance, ({ ownBatch }) =>
          ownBatch(
            { workspaceId, clientAddress: null, keysExpireBefore: null, isCounted: false },
            Array.from({ length: count }, () => ({ actor_id: "ada", action: "cairn.access.events" }))
          )
        )
      ),
    sequence: () => runtime.runPromise(sequence),
    /** The index follows the log to its end. */
    index: () =>
      runtime.runPromise(
        Effect.flatMap(SearchIndexer, ({ advance }) =>
          Effect.repeat(advance, { while: (count) => count > 0 })
        )
      ),
    /** The whole log. */
    log: (workspaceId: string): Promise<ReadonlyArray<LogEntry>> =>
      runtime.runPromise(Effect.flatMap(EventLog, ({ entries }) => entries(workspaceId, 1, 1_000_000))),
    verify: (workspaceId: string) =>
      runtime.runPromise(
        Effect.flatMap(ChainVerifier, ({ verify }) => verify({ workspaceId, limit: 1_000_000 }))
      ),
    /** Asks for a checkpoint of the log as it is; none when it is refused. */
    sign: (workspaceId: string) =>
      runtime.runPromise(
        Effect.flatMap(LogCheckpoints, ({ current }) => current(workspaceId)).pipe(
          Effect.map(({ size, root }) => ({ size, root })),
          Effect.catchTag("LogNotAsSigned", () => Effect.succeed(undefined))
        )
      ),
    /** What `cairn recover` says that the log has lost. */
    lost: (workspaceId: string) =>
      runtime.runPromise(Effect.map(findSignedLoss(workspaceId), Option.getOrUndefined)),
    /** The operator accepts it. */
    acceptLoss: (workspaceId: string) => runtime.runPromise(acceptSignedLoss(workspaceId)),
    /** How many events a search finds. */
    found: (workspaceId: string, search: string) =>
      runtime.runPromise(
        Effect.flatMap(EventLog, ({ count }) =>
          count(workspaceId, { search }, { from: 1, to: Number.MAX_SAFE_INTEGER })
        )
      ),
    /** Consumes what comes next, and returns its ids. */
    consume: (workspaceId: string, consumer = CONSUMER) =>
      runtime.runPromise(
        Effect.gen(function* () {
          const consumers = yield* Consumers
          const log = yield* EventLog
          const at = yield* Micros.now
          const position = yield* consumers.open({ workspaceId, consumer }, 0, at)
          const entries = yield* log.entries(workspaceId, position.sequence + 1, 1_000_000)
          const last = entries.at(-1)
          if (last === undefined) return []
          const nothing = { rows: [], raised: [], deliveries: [], expiredBy: null }
          const moved = yield* consumers.commit(position, { ...nothing, sequence: last.sequence, at })
          return Option.isSome(moved) ? entries.map(({ id }) => id) : []
        })
      ),
    /** Removes the contents of every event, as retention does. */
    removeAll: (workspaceId: string) =>
      runtime.runPromise(
        Effect.gen(function* () {
          const { remove } = yield* ContentRemoval
          const events = yield* Effect.flatMap(EventLog, ({ entries }) => entries(workspaceId, 1, 500))
          const removed = events.map(({ sequence, id, content, contentHash }) => ({
            sequence,
            id,
            content: content ?? "",
            contentHash: contentHash ?? ""
          }))
          yield* remove(workspaceId, removed, null)
        })
      ),
    stop: () => runtime.dispose()
  }
}

/** A database that is open. */
export type Started = Awaited<ReturnType<typeof start>>

/**
 * The chain is whole; where the log has lost an end that something remembers, it is so once the operator has
 * accepted that, and not before. Returns whether that was needed.
 */
export const expectValid = async (server: Started, workspaceId: string, events: number): Promise<boolean> => {
  const lost = await server.lost(workspaceId)
  if (lost !== undefined) {
    assert.isFalse((await server.verify(workspaceId)).valid, `the log has lost ${JSON.stringify(lost)}`)
    await server.acceptLoss(workspaceId)
  }
  assert.deepInclude(await server.verify(workspaceId), { valid: true, events_checked: events })
  return lost !== undefined
}
