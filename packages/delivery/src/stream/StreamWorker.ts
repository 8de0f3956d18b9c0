/**
 * Sends log streams: each reads the log from where it stands, sends the next batch, and moves once the destination has acknowledged it.
 *
 * Any number of processes may run it; a stream is sent by one at a time. Each stream goes its own way, so that a destination that is slow or
 * down delays neither another stream nor the log. What a crash interrupts is sent again: at least once, in order, nothing missing.
 */
import {
  type BatchLimits,
  CircuitBreaker,
  ClockGuard,
  type ConsumerPosition,
  Consumers,
  decideBatch,
  EVENT_FORMATS,
  type LogStreamSinkShape,
  LogStreams,
  loadAudience,
  type ManagedWorkspaces,
  type Members,
  Micros,
  mailDeliveries,
  makeNotBehind,
  type NewDelivery,
  Randomness,
  type Reading,
  RecentEvents,
  SecretBox,
  Sha256,
  type SinkFailed,
  type StorageUnavailable,
  type StoredLogStream,
  type StreamHealth,
  type StreamRecord,
  streamConsumer,
  streamFilter,
  streamHealthRow,
  streamRecord,
  uuid,
  type Webhooks
} from "@cairn/core"
import { Clock, Context, Effect, Exit, FiberMap, Layer, Option, Random, Result, type Scope } from "effect"
import { OutboundGuard } from "../outbound/OutboundGuard.ts"
import { makeFileAppender } from "../sinks/file/FileAppender.ts"
import { sinkFailed } from "../sinks/Sink.ts"
import { openDestination } from "../sinks/Sinks.ts"
import { makeCheckpointSending } from "./CheckpointSending.ts"
import { makeSharedReading } from "./SharedReading.ts"
import { makeStreamHold } from "./StreamHold.ts"

/** Most rows looked at for one batch, and most characters of their contents: a filter that few events pass must not make one turn long. */
const MOST_READ = 5_000
const MOST_READ_SIZE = 8_388_608
/** Records that were read longer ago are read again before they are sent, by this stream or within a second by another reader. */
const FRESH: Micros.Micros = Micros.SECOND
/** How often a stream looks for new events, in milliseconds. */
const LOOK_EVERY = 500
/** How often the list of streams is read, in milliseconds. */
const LIST_EVERY = 2_000
/** Rest after the store was out of reach, in milliseconds. */
const STORE_REST = 5_000

/** What the worker is told. */
export interface StreamWorkerOptions {
  /** The folder that `file` destinations write below; null allows none. */
  readonly folder: string | null
  /** Milliseconds that one request to a destination may take. */
  readonly timeout: number
  /** Whether the service sends mail: whether admins are written to about a stream that is down. */
  readonly mail: boolean
}

/** What came of one turn of a stream. */
export type StreamTurn =
  /** Events were sent, or passed over because they are none of the stream's; there may be more at once. */
  | { readonly _tag: "Moved"; readonly sent: number }
  /** The destination did not take them. */
  | { readonly _tag: "Failed"; readonly reason: string }
  /** Nothing is due before this moment, unless more events come; null when there is nothing to wait for. */
  | { readonly _tag: "Waiting"; readonly until: Micros.Micros | null }

/** A stream whose destination is open. */
export interface OpenStream {
  /** Sends the next batch, if one is due. */
  readonly turn: Effect.Effect<StreamTurn, StorageUnavailable>
}

/** The use case *send streams*. */
export interface StreamWorkerShape {
  /** Opens a stream's destination for as long as the scope lasts. */
  readonly open: (stream: StoredLogStream) => Effect.Effect<OpenStream, never, Scope.Scope>
  /** Goes on sending every stream that is enabled. */
  readonly run: Effect.Effect<never>
}

/** Records that were read and not sent yet: the next look reads on from there. */
interface Waiting {
  /** The position that they follow. */
  readonly after: number
  readonly records: ReadonlyArray<StreamRecord>
  /** Up to here the log was read. */
  readonly readTo: number
  /** Whether that was its end. */
  readonly atEnd: boolean
  /** When the first of the records was read. */
  readonly since: Micros.Micros
}

/** Characters of records' texts. */
const sizeOf = (records: ReadonlyArray<StreamRecord>): number =>
  records.reduce((sum, { text }) => sum + text.length, 0)

const waiting = (until: Micros.Micros | null): StreamTurn => ({ _tag: "Waiting", until })

/** Sending. */
export class StreamWorker extends Context.Service<StreamWorker, StreamWorkerShape>()(
  "@cairn/delivery/StreamWorker"
) {
  static readonly layer = ({ folder, timeout, mail }: StreamWorkerOptions) =>
    Layer.effect(
      StreamWorker,
      Effect.gen(function* () {
        const consumers = yield* Consumers
        const clock = yield* ClockGuard
        const notBehind = yield* makeNotBehind("send a log stream")
        const readOn = yield* makeSharedReading
        const recent = yield* RecentEvents
        const checkpointsOf = yield* makeCheckpointSending
        const streams = yield* LogStreams
        const box = yield* SecretBox
        const sha256 = yield* Sha256
        const random = yield* Randomness
        const guard = yield* OutboundGuard
        const files = yield* makeFileAppender({ timeout })
        const context = yield* Effect.context<Webhooks | Members | ManagedWorkspaces>()

        /** Opens the sink, or one that says why there is none. */
        const openSink = Effect.fnUntraced(function* (stream: StoredLogStream) {
          const { settings, workspace_id } = stream
          const { json, mediaType } = EVENT_FORMATS[settings.format]
          const destination = openDestination(box, stream)
          if (Result.isFailure(destination)) {
            const sink: LogStreamSinkShape = { send: () => Effect.fail(sinkFailed(destination.failure)) }
            return { sink, limits: { events: 1, size: 1, seconds: 0 } satisfies BatchLimits }
          }
          const { batch, open } = destination.success
          const environment = { guard, workspaceId: workspace_id, json, mediaType, folder, files, timeout }
          return {
            sink: yield* open(environment),
            limits: {
              ...batch,
              events: settings.batch_events ?? batch.events,
              seconds: settings.batch_seconds ?? batch.seconds
            } satisfies BatchLimits
          }
        })

        const toRecords = ({ settings }: StoredLogStream) => {
          const wanted = streamFilter(settings)
          return ({ events }: Reading) =>
            Effect.map(
              recent.pace.map(
                events,
                ({ size }) => size,
                (read) => (wanted(read.event) ? [streamRecord(settings, read)] : [])
              ),
              (records) => records.flat()
            )
        }

        /** The mails about a stream that has been down for a while. */
        const downMails = Effect.fnUntraced(function* (
          { id, workspace_id, settings }: StoredLogStream,
          { breaker, last_error }: StreamHealth,
          at: Micros.Micros
        ) {
          const audience = yield* Effect.provide(loadAudience(workspace_id, mail), context)
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

        const open = Effect.fnUntraced(function* (stream: StoredLogStream) {
          const { sink, limits } = yield* openSink(stream)
          const key = { workspaceId: stream.workspace_id, consumer: streamConsumer(stream.id) }
          const hold = makeStreamHold(consumers, key, {
            holder: uuid(random),
            after: stream.after,
            notBehind
          })
          const checkpoints = checkpointsOf(consumers, stream, sink, hold)
          const recordsOf = toRecords(stream)
          let read: Waiting | undefined

          /** Reads on until there is enough for a batch, or the log ends. */
          const fill = Effect.fnUntraced(function* (after: number, now: Micros.Micros) {
            const known = read?.after === after ? read : undefined
            const found = [...(known?.records ?? [])]
            const since = known === undefined || known.records.length === 0 ? now : known.since
            let readTo = known?.readTo ?? after
            let atEnd = false
            let size = sizeOf(found)
            let looked = 0
            for (
              let rows = 0;
              rows < MOST_READ &&
              looked < MOST_READ_SIZE &&
              found.length < limits.events &&
              size < limits.size &&
              !atEnd;
            ) {
              const reading = yield* readOn(stream.workspace_id, readTo)
              const records = yield* recordsOf(reading)
              found.push(...records)
              size += sizeOf(records)
              rows += reading.readTo - readTo
              for (const event of reading.events) looked += event.size
              ;({ readTo, atEnd } = reading)
            }
            const filled: Waiting = { after, records: found, readTo, atEnd, since }
            read = filled
            return filled
          })

          const commit = (
            position: ConsumerPosition,
            sequence: number,
            health: StreamHealth | undefined,
            deliveries: ReadonlyArray<NewDelivery>,
            at: Micros.Micros
          ) =>
            consumers.commit(position, {
              sequence,
              rows: health === undefined ? [] : [streamHealthRow(health)],
              raised: [],
              deliveries,
              expiredBy: null,
              at
            })

          const failed = Effect.fnUntraced(function* (
            position: ConsumerPosition,
            health: StreamHealth,
            { reason, retryAfter }: SinkFailed
          ) {
            const now = yield* Micros.now
            const { state, tell } = CircuitBreaker.noteFailure(health.breaker, {
              now,
              retryAfter,
              random: yield* Random.next
            })
            const after = { ...health, breaker: state, last_error: reason.replaceAll("\0", "\uFFFD") }
            const mails = tell ? yield* downMails(stream, after, now) : []
            yield* commit(position, position.sequence, after, mails, now)
            return { _tag: "Failed", reason } satisfies StreamTurn
          })

          /** Sends a batch that nobody else is sending. */
          const send = Effect.fnUntraced(function* (
            { records: all, readTo, after, since }: Waiting,
            batch: ReadonlyArray<StreamRecord>
          ) {
            const mine = yield* hold.take(after)
            if (mine === undefined) return waiting(null)
            const sent = yield* Effect.exit(Effect.raceFirst(sink.send(batch), hold.keeping))
            if (Exit.isFailure(sent)) {
              const failure = Exit.findErrorOption(sent)
              return Option.isSome(failure)
                ? yield* failed(mine.position, mine.health, failure.value)
                : yield* Effect.failCause(sent.cause).pipe(Effect.orDie)
            }
            const now = yield* Micros.now
            const sequence = batch.length === all.length ? readTo : (batch.at(-1)?.sequence ?? readTo)
            const well = { breaker: CircuitBreaker.noteSuccess(), last_error: null, last_success_at: now }
            hold.committed(yield* commit(mine.position, sequence, well, [], now), well)
            read = { after: sequence, records: all.slice(batch.length), readTo, atEnd: false, since }
            return { _tag: "Moved", sent: batch.length } satisfies StreamTurn
          })

          // More rows are there than may be looked at for one batch: what was found among them goes.
          const decide = ({ atEnd, records }: Waiting, now: Micros.Micros) =>
            decideBatch(atEnd ? limits : { ...limits, seconds: 0 }, records, now)

          const turn = Effect.gen(function* () {
            const now = yield* Micros.now
            const standing = yield* hold.standing(now)
            if (standing === undefined || standing.position.paused) return waiting(null)
            const { position, health } = standing
            if (!CircuitBreaker.mayTry(health.breaker, now)) return waiting(health.breaker.open_until)
            if (yield* checkpoints.next(standing, now)) return { _tag: "Moved", sent: 0 } satisfies StreamTurn
            let filled = yield* fill(position.sequence, now)
            let decided = decide(filled, now)
            if (decided._tag === "Send" && now - filled.since > FRESH) {
              // It has waited: for company, or for its destination. What was erased meanwhile is not sent.
              read = undefined
              filled = yield* fill(position.sequence, now)
              decided = decide(filled, now)
            }
            if (filled.records.length === 0) {
              if (filled.readTo === position.sequence) return waiting(null)
              // Whoever holds it would find that it has moved, and send again what he has just sent.
              const mine = yield* hold.take(position.sequence)
              if (mine === undefined) return waiting(null)
              hold.committed(yield* commit(mine.position, filled.readTo, undefined, [], now), mine.health)
              return { _tag: "Moved", sent: 0 } satisfies StreamTurn
            }
            if (decided._tag === "Wait") return waiting(decided.until)
            return yield* send(filled, decided.records)
          })

          /** Whether the stream goes on at once, or only gathers company for its next batch. */
          const goesOn = (came: StreamTurn): boolean =>
            came._tag === "Moved" || (came._tag === "Waiting" && came.until !== null && hold.isHeld())

          yield* Effect.addFinalizer(() => hold.letGo)
          return {
            turn: Effect.onExit(turn, (exit) =>
              Exit.isSuccess(exit) && goesOn(exit.value) ? Effect.void : hold.letGo
            )
          }
        })

        /** Sends one stream for as long as it is there. */
        const follow = (stream: StoredLogStream) =>
          Effect.gen(function* () {
            const { turn } = yield* open(stream)
            const once = Effect.gen(function* () {
              // The outbox tells of a clock that runs ahead: what would be noted by it would hold up the stream later.
              if (yield* Effect.isFailure(clock.now)) return LOOK_EVERY
              const came = yield* turn
              if (came._tag === "Moved") return 0
              if (came._tag === "Failed" || came.until === null) return LOOK_EVERY
              const millis = (came.until - Micros.fromMillis(yield* Clock.currentTimeMillis)) / 1_000
              return Math.min(Math.max(millis, 1), LOOK_EVERY)
            })
            return yield* once.pipe(
              Effect.catchCause((cause) =>
                Effect.as(Effect.logError(`The log stream ${stream.id} was interrupted`, cause), STORE_REST)
              ),
              Effect.flatMap((rest) => (rest === 0 ? Effect.yieldNow : Effect.sleep(rest))),
              Effect.forever
            )
          }).pipe(Effect.scoped)

        const run = Effect.gen(function* () {
          const fibers = yield* FiberMap.make<string>()
          const followed = new Map<string, StoredLogStream>()
          const look = Effect.gen(function* () {
            const all = yield* streams.all
            const enabled = all.filter(({ settings }) => settings.enabled)
            for (const stream of enabled) {
              if (followed.get(stream.id)?.updated_at === stream.updated_at) continue
              followed.set(stream.id, stream)
              // In place of the one before it, which is interrupted.
              yield* FiberMap.run(fibers, stream.id, follow(stream))
            }
            const ids = new Set(enabled.map(({ id }) => id))
            for (const { id, workspace_id: workspaceId } of followed.values()) {
              if (ids.has(id)) continue
              followed.delete(id)
              yield* FiberMap.remove(fibers, id)
              // Its last turn may have begun its position anew after whoever deleted the stream had removed it.
              if (!all.some((stream) => stream.id === id))
                yield* consumers.remove({ workspaceId, consumer: streamConsumer(id) })
            }
          })
          return yield* look.pipe(
            Effect.catchCause((cause) => Effect.logError("The log streams are out of reach", cause)),
            Effect.andThen(Effect.sleep(LIST_EVERY)),
            Effect.forever
          )
        }).pipe(Effect.scoped)

        return StreamWorker.of({ open, run })
      })
    )
}
