/**
 * Sequencing by itself: events that an `AuditLog` records are added to the chain in the background, and
 * before anything is read.
 */
import { Effect, Queue, type Scope, Semaphore } from "effect"
import { Inbox } from "./log/Inbox.ts"
import { SearchIndexer } from "./log/SearchIndexer.ts"
import { Sequencer } from "./log/Sequencer.ts"
import type { StorageUnavailable } from "./log/StorageUnavailable.ts"

/** Pause before recorded events are sequenced: events that arrive in the meantime share the transaction. */
const GATHER = "20 millis"
/** Pause before the next attempt if the database did not respond. */
const AGAIN = "1 second"
/** Pause while another process sequences the events that this one waits for. */
const ELSEWHERE = "5 millis"

/** Recorded events, with this process's own count of when. */
interface Recorded {
  readonly ids: ReadonlyArray<string>
  readonly at: number
}

/**
 * The newest events of this process in each workspace. An event whose call began after another call had
 * returned waits behind that call's events, so when it is sequenced, the others are too. Therefore only as
 * many events are kept as were recorded at the same time.
 */
const makeNewest = () => {
  let count = 0
  const newest = new Map<string, ReadonlyArray<Recorded>>()
  const of = (workspaceId: string) => newest.get(workspaceId) ?? []
  return {
    /** A call begins. */
    begin: () => count++,
    /** A call that began at that count has recorded these. */
    add: (begun: number, workspaceId: string, ids: ReadonlyArray<string>) => {
      const overlapping = of(workspaceId).filter(({ at }) => at > begun)
      newest.set(workspaceId, [...overlapping, { ids, at: count++ }])
    },
    of,
    remove: (workspaceId: string, done: ReadonlyArray<Recorded>) => {
      const left = of(workspaceId).filter((one) => !done.includes(one))
      if (left.length > 0) newest.set(workspaceId, left)
      else newest.delete(workspaceId)
    }
  }
}

/** The result of {@link makeSequencing}. */
export interface Sequencing {
  /**
   * Runs an effect that records events of a workspace, and has them sequenced soon; `idsOf` returns their
   * ids.
   */
  readonly after: <A, E>(
    workspaceId: string,
    record: Effect.Effect<A, E>,
    idsOf: (recorded: A) => ReadonlyArray<string>
  ) => Effect.Effect<A, E>
  /** Returns when everything that this process has recorded in a workspace is in the chain. */
  readonly settle: (workspaceId: string) => Effect.Effect<void, StorageUnavailable>
  /** Sequences all waiting events, of any process. */
  readonly drain: Effect.Effect<void, StorageUnavailable>
}

/** Sequences in the background until the scope ends, beginning with what an earlier process left. */
export const makeSequencing: Effect.Effect<
  Sequencing,
  never,
  Inbox | Sequencer | SearchIndexer | Scope.Scope
> = Effect.gen(function* () {
  const inbox = yield* Inbox
  const sequencer = yield* Sequencer
  const index = yield* SearchIndexer
  const newest = makeNewest()
  const wake = yield* Queue.sliding<void>(1)
  const turn = yield* Semaphore.make(1)
  const drain = Effect.asVoid(turn.withPermit(sequencer.drain))

  /** The search index follows, one chunk at a time. */
  const catchUp = Effect.repeat(Effect.andThen(Effect.yieldNow, index.advance), {
    while: (count) => count > 0
  })

  const background = Effect.andThen(drain, catchUp).pipe(
    Effect.andThen(Queue.take(wake)),
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.logWarning("Accepted events could not be appended to the chain; trying again", cause),
        Effect.sleep(AGAIN)
      )
    ),
    Effect.andThen(Effect.sleep(GATHER)),
    Effect.forever
  )
  yield* Effect.forkScoped(background)

  const isWaiting = (workspaceId: string) =>
    Effect.gen(function* () {
      const recorded = newest.of(workspaceId)
      for (const { ids } of recorded) {
        for (const id of ids) if ((yield* inbox.find(workspaceId, id))._tag === "Some") return true
      }
      newest.remove(workspaceId, recorded)
      return false
    })

  const settle = Effect.fnUntraced(function* (workspaceId: string) {
    yield* drain
    // Events that another process is appending were left to it.
    while (yield* isWaiting(workspaceId)) {
      yield* Effect.sleep(ELSEWHERE)
      yield* drain
    }
  })

  return {
    after: (workspaceId, record, idsOf) =>
      Effect.suspend(() => {
        const begun = newest.begin()
        return Effect.tap(record, (recorded) => {
          newest.add(begun, workspaceId, idsOf(recorded))
          return Queue.offer(wake, undefined)
        })
      }),
    settle,
    drain
  }
})
