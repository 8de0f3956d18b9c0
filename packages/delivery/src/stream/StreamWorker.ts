/**
 * Sends log streams: each reads the log from its position, sends the next batch, and moves once the
 * destination has acknowledged it.
 *
 * Any number of processes may run it; a stream is sent by one at a time. Streams are independent, so that a
 * destination that is slow or down delays neither another stream nor the log. Delivery is at least once and
 * in order: after a crash, the last batch is sent again.
 */
import { Checkpoints } from "@cairn/core/checkpoint"
import { Consumers, RecentEvents } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { Randomness, SecretBox, Sha256 } from "@cairn/core/hashing"
import { ClockGuard, EventLog, makeNotBehind, Tracing } from "@cairn/core/log"
import {
  LogStreams,
  loadAudience,
  type StoredLogStream,
  streamConsumer,
  type Webhooks
} from "@cairn/core/outbound"
import type { ManagedWorkspaces, Members } from "@cairn/core/workspace"
import { Clock, Context, Effect, FiberMap, Layer, type Scope } from "effect"
import { keepGoing } from "../loop/KeepGoing.ts"
import { OutboundGuard } from "../outbound/OutboundGuard.ts"
import { makeFileAppender } from "../sinks/file/FileAppender.ts"
import { type OpeningContext, type OpenStream, openStream } from "./OpenStream.ts"
import { makeSharedReading } from "./SharedReading.ts"
import { makeStreamMeters } from "./StreamMeters.ts"
import { type StreamTested, testStream } from "./StreamTesting.ts"

/** How often a stream looks for new events, in milliseconds. */
const LOOK_EVERY = 500
/** How often the list of streams is read, in milliseconds. */
const LIST_EVERY = 2_000
/** Rest after the store was out of reach, in milliseconds. */
const STORE_REST = 5_000

/** Options of the worker. */
export interface StreamWorkerOptions extends Pick<OpeningContext, "folder" | "timeout"> {
  /** Whether the service sends mail: whether admins are written to about a stream that is down. */
  readonly mail: boolean
}

/** The use case *send streams*. */
export interface StreamWorkerShape {
  /** Opens a stream's destination for as long as the scope lasts. */
  readonly open: (stream: StoredLogStream) => Effect.Effect<OpenStream, never, Scope.Scope>
  /** Sends a test to a stream's destination, whatever becomes of the stream. */
  readonly test: (
    stream: StoredLogStream,
    test: { readonly id: string; readonly at: Micros.Micros }
  ) => Effect.Effect<StreamTested>
  /** Sends every enabled stream, for ever. */
  readonly run: Effect.Effect<never>
}

interface WorkerContext extends Pick<OpeningContext, "consumers"> {
  readonly clock: ClockGuard["Service"]
  readonly streams: LogStreams["Service"]
  readonly open: StreamWorkerShape["open"]
}

/** The services and settings that streams are opened with. */
const openingContext = Effect.fnUntraced(function* ({ folder, timeout, mail }: StreamWorkerOptions) {
  const context = yield* Effect.context<Webhooks | Members | ManagedWorkspaces>()
  return {
    consumers: yield* Consumers,
    checkpoints: yield* Checkpoints,
    recent: yield* RecentEvents,
    readOn: yield* makeSharedReading,
    log: yield* EventLog,
    meters: yield* makeStreamMeters,
    tracing: yield* Tracing,
    box: yield* SecretBox,
    sha256: yield* Sha256,
    random: yield* Randomness,
    guard: yield* OutboundGuard,
    files: yield* makeFileAppender({ timeout }),
    folder,
    timeout,
    notBehind: yield* makeNotBehind("send a log stream"),
    audienceOf: (workspaceId) => Effect.provide(loadAudience(workspaceId, mail), context)
  } satisfies OpeningContext
})

/** One turn of a stream; returns how many milliseconds to rest. */
const turnOf = Effect.fnUntraced(function* ({ clock }: WorkerContext, { turn }: OpenStream) {
  // The outbox logs that the clock runs ahead. Times stored by such a clock would delay the stream later.
  if (yield* Effect.isFailure(clock.now)) return LOOK_EVERY
  const came = yield* turn
  if (came._tag === "Moved") return 0
  if (came._tag === "Failed" || came.until === null) return LOOK_EVERY
  const millis = (came.until - Micros.fromMillis(yield* Clock.currentTimeMillis)) / 1_000
  return Math.min(Math.max(millis, 1), LOOK_EVERY)
})

/** Sends one stream for as long as it is there. */
const follow = (context: WorkerContext, stream: StoredLogStream) =>
  Effect.scoped(
    Effect.flatMap(context.open(stream), (opened) =>
      keepGoing(turnOf(context, opened), {
        onFailure: `The log stream ${stream.id} was interrupted`,
        onRecovery: `The log stream ${stream.id} goes on`,
        restAfterFailure: STORE_REST
      })
    )
  )

/** The streams that are sent now. */
interface Following {
  readonly fibers: FiberMap.FiberMap<string>
  readonly streams: Map<string, StoredLogStream>
}

/** Starts the streams that are now enabled, and stops those that no longer are. */
const lookForStreams = Effect.fnUntraced(function* (context: WorkerContext, following: Following) {
  const { fibers, streams: followed } = following
  const all = yield* context.streams.all
  const enabled = all.filter(({ settings }) => settings.enabled)
  for (const stream of enabled) {
    if (followed.get(stream.id)?.updated_at === stream.updated_at) continue
    followed.set(stream.id, stream)
    // Replaces and interrupts the fiber before it.
    yield* FiberMap.run(fibers, stream.id, follow(context, stream))
  }
  const ids = new Set(enabled.map(({ id }) => id))
  for (const { id, workspace_id: workspaceId } of followed.values()) {
    if (ids.has(id)) continue
    followed.delete(id)
    yield* FiberMap.remove(fibers, id)
    // Its last turn may have created its position again after the stream was deleted.
    if (!all.some((stream) => stream.id === id))
      yield* context.consumers.remove({ workspaceId, consumer: streamConsumer(id) })
  }
})

const run = (context: WorkerContext) =>
  Effect.gen(function* () {
    const following: Following = { fibers: yield* FiberMap.make<string>(), streams: new Map() }
    return yield* keepGoing(Effect.as(lookForStreams(context, following), LIST_EVERY), {
      onFailure: "The log streams cannot be read",
      onRecovery: "The log streams can be read again",
      restAfterFailure: LIST_EVERY
    })
  }).pipe(Effect.scoped)

/** Sending. */
export class StreamWorker extends Context.Service<StreamWorker, StreamWorkerShape>()(
  "@cairn/delivery/StreamWorker"
) {
  static readonly layer = (options: StreamWorkerOptions) =>
    Layer.effect(
      StreamWorker,
      Effect.gen(function* () {
        const clock = yield* ClockGuard
        const streams = yield* LogStreams
        const opening = yield* openingContext(options)
        const open: StreamWorkerShape["open"] = (stream) => openStream(opening, stream)
        const test: StreamWorkerShape["test"] = (stream, asked) => testStream(opening, stream, asked)
        return StreamWorker.of({
          open,
          test,
          run: run({ consumers: opening.consumers, clock, streams, open })
        })
      })
    )
}
