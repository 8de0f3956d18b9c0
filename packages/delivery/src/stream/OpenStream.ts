/** Opens a stream: its destination, its place in the log, and who sends it. */

import type { ConsumersShape, Reading, RecentEventsShape } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { EVENT_FORMATS } from "@cairn/core/event"
import { type RandomnessShape, type SecretBoxShape, type Sha256Shape, uuid } from "@cairn/core/hashing"
import type { EventLog, StorageUnavailable, Tracing } from "@cairn/core/log"
import {
  type Audience,
  type BatchLimits,
  mailDeliveries,
  type StoredLogStream,
  type StreamHealth,
  streamConsumer,
  streamFilter,
  streamRecord
} from "@cairn/core/outbound"
import { Effect, Exit, Result } from "effect"
import type { OutboundGuardShape } from "../outbound/OutboundGuard.ts"
import type { FileAppender } from "../sinks/file/FileAppender.ts"
import { failingSink, openSafely } from "../sinks/SafeSink.ts"
import { sinkFailed } from "../sinks/SinkFailure.ts"
import { openDestination } from "../sinks/Sinks.ts"
import { type CheckpointStore, makeCheckpointSending } from "./CheckpointSending.ts"
import type { ReadOn } from "./SharedReading.ts"
import { StreamBuffer } from "./StreamBuffer.ts"
import { makeStreamHold } from "./StreamHold.ts"
import { makeLagLook, type StreamMeters } from "./StreamMeters.ts"
import { type StreamTurn, takeTurn } from "./StreamTurn.ts"

/** A stream whose destination is open. */
export interface OpenStream {
  /** Sends the next batch, if one is due. */
  readonly turn: Effect.Effect<StreamTurn, StorageUnavailable>
}

/** What streams are opened with. */
export interface OpeningContext {
  readonly consumers: ConsumersShape
  readonly checkpoints: CheckpointStore
  readonly recent: RecentEventsShape
  readonly readOn: ReadOn
  readonly log: EventLog["Service"]
  readonly meters: StreamMeters
  readonly tracing: (typeof Tracing)["Service"]
  readonly box: SecretBoxShape
  readonly sha256: Sha256Shape
  readonly random: RandomnessShape
  readonly guard: OutboundGuardShape
  readonly files: FileAppender
  /** The folder that `file` destinations write below; null allows none. */
  readonly folder: string | null
  /** Milliseconds that one request to a destination may take. */
  readonly timeout: number
  /** Fails while the store is behind what was seen of it. */
  readonly notBehind: Effect.Effect<void, StorageUnavailable>
  /** Who is written to about a workspace. */
  readonly audienceOf: (workspaceId: string) => Effect.Effect<Audience, StorageUnavailable>
}

/** Opens the sink; if that fails, one whose sends fail with the reason. */
export const openSink = Effect.fnUntraced(function* (context: OpeningContext, stream: StoredLogStream) {
  const { box, guard, files, folder, timeout } = context
  const { settings, workspace_id } = stream
  const { json, mediaType } = EVENT_FORMATS[settings.format]
  const destination = openDestination(box, stream)
  if (Result.isFailure(destination)) {
    const sink = failingSink(Effect.fail(sinkFailed(destination.failure)))
    return { sink, limits: { events: 1, size: 1, seconds: 0 } satisfies BatchLimits }
  }
  const { batch, open } = destination.success
  const environment = { guard, workspaceId: workspace_id, json, mediaType, folder, files, timeout }
  return {
    sink: yield* openSafely(open(environment), destination.success),
    limits: {
      ...batch,
      events: settings.batch_events ?? batch.events,
      seconds: settings.batch_seconds ?? batch.seconds
    } satisfies BatchLimits
  }
})

/** The records of a stream, of what is read of its log. */
const recordsFor = ({ recent }: OpeningContext, { settings }: StoredLogStream) => {
  const wanted = streamFilter(settings)
  return ({ events }: Reading) =>
    Effect.map(
      recent.pace.map(
        events,
        ({ size }) => size,
        (read) => {
          const whole = wanted(read.content) ? read.whole() : undefined
          return whole === undefined ? [] : [streamRecord(settings, read, whole)]
        }
      ),
      (records) => records.flat()
    )
}

/** The mails about a stream that has been down for a while. */
const downMails = Effect.fnUntraced(function* (
  { sha256, audienceOf }: OpeningContext,
  { id, workspace_id, settings }: StoredLogStream,
  { breaker, last_error }: StreamHealth,
  at: Micros.Micros
) {
  const audience = yield* audienceOf(workspace_id)
  const since = breaker.failing_since ?? at
  return mailDeliveries(
    sha256,
    audience,
    {
      kind: "stream_down",
      workspace: audience.workspaceName,
      stream: { id, name: settings.name },
      since: Micros.format(since),
      last_error: last_error ?? ""
    },
    `stream_down ${id} ${since}`,
    at
  )
})

/** Opens a stream for as long as the scope lasts. */
export const openStream = Effect.fnUntraced(function* (context: OpeningContext, stream: StoredLogStream) {
  const { consumers, random, notBehind, readOn, meters, tracing } = context
  const { sink, limits } = yield* openSink(context, stream)
  const key = { workspaceId: stream.workspace_id, consumer: streamConsumer(stream.id) }
  const hold = makeStreamHold(consumers, key, { holder: uuid(random), after: stream.after, notBehind })
  const receiver = { what: "The log stream", id: stream.id, workspaceId: stream.workspace_id }
  const turn = takeTurn({
    consumers,
    receiver,
    meters,
    tracing,
    lookAtLag: makeLagLook(meters, context.log, receiver),
    sink,
    limits,
    hold,
    buffer: new StreamBuffer({
      readOn: (after) => readOn(stream.workspace_id, after),
      recordsOf: recordsFor(context, stream),
      limits
    }),
    checkpoints: makeCheckpointSending({ store: context.checkpoints, consumers, stream, sink, hold }),
    downMails: (health, at) => downMails(context, stream, health, at)
  })
  /** Whether the stream goes on at once, or waits only to fill its next batch. */
  const goesOn = (came: StreamTurn): boolean =>
    came._tag === "Moved" || (came._tag === "Waiting" && came.until !== null && hold.isHeld())

  yield* Effect.addFinalizer(() => hold.letGo)
  yield* Effect.addFinalizer(() => Effect.sync(() => meters.left(stream.id)))
  return {
    turn: Effect.onExit(turn, (exit) =>
      Exit.isSuccess(exit) && goesOn(exit.value) ? Effect.void : hold.letGo
    )
  } satisfies OpenStream
})
