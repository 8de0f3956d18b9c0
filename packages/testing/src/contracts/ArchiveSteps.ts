import { type EventInput, GeoIp } from "@cairn/core/event"
import { ExportStore, type ExportStoreShape, ExportStoreUnavailable } from "@cairn/core/export"
import { Sha256 } from "@cairn/core/hashing"
import { ClockGuard, EventCounts, Sequencer, StorageUnavailable } from "@cairn/core/log"
import { Archive, ArchiveStore, ContentRemoval, Erasure, Retention } from "@cairn/core/retention"
import { ChainVerifier } from "@cairn/core/verification"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { Effect, Layer, Logger, Schema, Stream } from "effect"
import { layerSeededRandomness } from "../generators/SeededRandom.ts"
import { layer as layerMemoryStorage } from "../memory/MemoryStorage.ts"
import { accept, makeWorkspace, NOON, plainEvent, readLog, sequenceAll } from "./StorageSteps.ts"

/** Faults that a test can switch on. */
export interface Faults {
  /** Called around every write of a file. */
  write: ExportStoreShape["write"] | undefined
  /** Whether contents cannot be removed. */
  removal: boolean
  /** What was logged. */
  readonly logged: Array<string>
}

const faultyStore = (faults: Faults) =>
  Layer.effect(
    ArchiveStore,
    Effect.map(ExportStore, (store) =>
      ArchiveStore.of({ ...store, write: (...file) => (faults.write ?? store.write)(...file) })
    )
  )

const faultyRemoval = (faults: Faults) =>
  Layer.effect(
    ContentRemoval,
    Effect.map(ContentRemoval, (removal) =>
      ContentRemoval.of({
        ...removal,
        remove: (workspaceId, events, record) =>
          faults.removal && events.length > 0
            ? Effect.fail(new StorageUnavailable({ operation: "remove", cause: new Error("broken") }))
            : removal.remove(workspaceId, events, record)
      })
    )
  )

/** The archive over a store, with faults. */
export const services = (faults: Faults, store: Layer.Layer<ExportStore, unknown>) =>
  Layer.mergeAll(Retention.layer, Erasure.layer, ChainVerifier.layer).pipe(
    Layer.provideMerge(Archive.layer.pipe(Layer.provide(faultyStore(faults)))),
    Layer.provideMerge(Layer.mergeAll(EventCounts.layer, Sequencer.layer)),
    Layer.provide([ClockGuard.layer, GeoIp.layerNowhere]),
    Layer.provideMerge(faultyRemoval(faults)),
    Layer.provideMerge(Layer.mergeAll(layerMemoryStorage(), store, Sha256.layer, layerSeededRandomness(1))),
    Layer.provideMerge(
      Logger.layer([
        Logger.make(({ message }) => {
          faults.logged.push(String(message))
        })
      ])
    )
  )

/** The store does not respond. */
export const nothing = new ExportStoreUnavailable({ operation: "write a file", cause: new Error("down") })

const gunzipped = (name: string) =>
  Effect.gen(function* () {
    const { read } = yield* ExportStore
    const packed = Stream.fromReadableStream({
      evaluate: () =>
        Stream.toReadableStream(Stream.map(read(name), (bytes) => Uint8Array.from(bytes))).pipeThrough(
          new DecompressionStream("gzip")
        ),
      onError: (error) => error
    })
    return (yield* Stream.runCollect(packed))
      .map((piece) => Buffer.from(piece))
      .reduce((one, other) => Buffer.concat([one, other]))
      .toString()
  })

const decodeLines = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      type: Schema.String,
      format: Schema.optionalKey(Schema.String),
      workspace_id: Schema.optionalKey(Schema.String),
      events: Schema.optionalKey(Schema.Number),
      sequence: Schema.optionalKey(Schema.Number),
      id: Schema.optionalKey(Schema.String),
      content: Schema.optionalKey(Schema.Unknown),
      salt: Schema.optionalKey(Schema.NullOr(Schema.String)),
      content_hash: Schema.optionalKey(Schema.NullOr(Schema.String)),
      created_at: Schema.optionalKey(Schema.String),
      event_hash: Schema.optionalKey(Schema.String),
      previous_event_hash: Schema.optionalKey(Schema.NullOr(Schema.String))
    })
  )
)

/** The files of a workspace, each as its lines. */
export const archived = Effect.fnUntraced(function* (workspaceId: string) {
  const names = [...(yield* (yield* ExportStore).list(workspaceId))].sort()
  return yield* Effect.forEach(names, (name) =>
    Effect.map(gunzipped(name), (text) => {
      const lines = text.trimEnd().split("\n")
      return { name, text, lines: decodeLines(lines.map((line): unknown => JSON.parse(line))) }
    })
  )
})

/** The sequences in each file whose content is present. */
export const contentsOf = (workspaceId: string) =>
  Effect.map(archived(workspaceId), (files) =>
    files.map(({ lines }) =>
      lines.flatMap(({ sequence, content }) => (sequence === undefined || content === null ? [] : [sequence]))
    )
  )

/** The sequences in the log whose content is present. */
export const kept = (workspaceId: string) =>
  Effect.map(readLog(workspaceId), (rows) =>
    rows.flatMap(({ sequence, content }) => (content === null ? [] : [sequence]))
  )

/** An event of an actor. */
export const by = (actor_id: string): EventInput => ({
  ...plainEvent(),
  actor_id,
  metadata: { note: `of ${actor_id}` }
})

/** A workspace whose events so far are older than the window of thirty days. */
export const makeExpired = Effect.fnUntraced(function* (events: ReadonlyArray<EventInput>) {
  const workspaceId = yield* makeWorkspace
  for (let at = 0; at < events.length; at += 500) yield* accept(workspaceId, events.slice(at, at + 500))
  yield* sequenceAll
  yield* (yield* ManagedWorkspaces).update(workspaceId, { overrides: { retention_days: 30 } }, NOON)
  return workspaceId
})
