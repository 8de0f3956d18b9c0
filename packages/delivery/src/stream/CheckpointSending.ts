/**
 * Sends the log's checkpoints through one of its streams: each after the events that it covers, as far as the stream has sent.
 *
 * The stream remembers which was the last, and keeps at the next until the destination has taken it; but one that takes no checkpoints
 * still gets its events.
 */
import {
  Checkpoints,
  CircuitBreaker,
  type ConsumersShape,
  type LogStreamSinkShape,
  Micros,
  type PublishedCheckpoint,
  readStreamCheckpoints,
  STREAM_CHECKPOINTS_KEY,
  type StorageUnavailable,
  type StoredLogStream,
  type StreamCheckpoints,
  streamCheckpoint,
  streamCheckpointsRow,
  streamConsumer,
  takesCheckpoints
} from "@cairn/core"
import { Effect, Exit, Option, Random } from "effect"
import type { Standing, StreamHold } from "./StreamHold.ts"

/** How often a stream looks whether a checkpoint was signed. */
const LOOK_EVERY: Micros.Micros = 5 * Micros.SECOND

/** The checkpoints of one stream. */
export interface CheckpointSending {
  /** Sends the next one, if there is one whose events were all sent; answers whether it was taken. */
  readonly next: (standing: Standing, now: Micros.Micros) => Effect.Effect<boolean, StorageUnavailable>
}

/** Sending of checkpoints through the streams of a process. */
export const makeCheckpointSending = Effect.gen(function* () {
  const store = yield* Checkpoints

  return (
    consumers: ConsumersShape,
    stream: StoredLogStream,
    { sendCheckpoint }: LogStreamSinkShape,
    hold: StreamHold
  ): CheckpointSending => {
    const { workspace_id: workspaceId, settings, after } = stream
    const key = { workspaceId, consumer: streamConsumer(stream.id) }
    if (sendCheckpoint === undefined || !takesCheckpoints(settings)) {
      return { next: () => Effect.succeed(false) }
    }
    let lookedAt = Number.NEGATIVE_INFINITY

    const remembered = Effect.map(consumers.rows(key, [STREAM_CHECKPOINTS_KEY]), (rows) =>
      readStreamCheckpoints(rows, after)
    )

    const keep = Effect.fnUntraced(function* ({ position, health }: Standing, state: StreamCheckpoints) {
      const committed = yield* consumers.commit(position, {
        sequence: position.sequence,
        rows: [streamCheckpointsRow(state)],
        raised: [],
        deliveries: [],
        expiredBy: null,
        at: yield* Micros.now
      })
      hold.committed(committed, health)
      return Option.isSome(committed)
    })

    /** The next one that may be sent now. */
    const due = Effect.fnUntraced(function* (sequence: number, now: Micros.Micros) {
      const state = yield* remembered
      if (!CircuitBreaker.mayTry(state.breaker, now)) return undefined
      const [found] = yield* store.publishedAfter(workspaceId, state.size, 1)
      return found !== undefined && found.size <= sequence ? { found, state } : undefined
    })

    const send = Effect.fnUntraced(function* (
      mine: Standing,
      checkpoint: PublishedCheckpoint,
      state: StreamCheckpoints
    ) {
      const sending = sendCheckpoint(streamCheckpoint(settings, workspaceId, checkpoint))
      const sent = yield* Effect.exit(Effect.raceFirst(sending, hold.keeping))
      if (Exit.isSuccess(sent)) {
        const breaker = CircuitBreaker.noteSuccess()
        return yield* keep(mine, { size: checkpoint.size, breaker, last_error: null })
      }
      const failure = Exit.findErrorOption(sent)
      if (Option.isNone(failure)) return yield* Effect.failCause(sent.cause).pipe(Effect.orDie)
      const { reason, retryAfter } = failure.value
      const random = yield* Random.next
      const { state: breaker } = CircuitBreaker.noteFailure(state.breaker, {
        now: yield* Micros.now,
        retryAfter,
        random
      })
      const last_error = `a checkpoint was not taken: ${reason}`.replaceAll("\0", "\uFFFD")
      yield* keep(mine, { size: state.size, breaker, last_error })
      return false
    })

    const next = Effect.fnUntraced(function* ({ position: { sequence } }: Standing, now: Micros.Micros) {
      if (now >= lookedAt && now - lookedAt < LOOK_EVERY) return false
      lookedAt = now
      if ((yield* due(sequence, now)) === undefined) return false
      const mine = yield* hold.take(sequence)
      // Another process may have sent it before the stream was this one's.
      const found = mine === undefined ? undefined : yield* due(sequence, now)
      if (mine === undefined || found === undefined) return false
      const sent = yield* send(mine, found.found, found.state)
      // There may be more of them.
      if (sent) lookedAt = Number.NEGATIVE_INFINITY
      return sent
    })

    return { next }
  }
})
