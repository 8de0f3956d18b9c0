import type { FrameStore } from "@cairn/storage-sql"
import { Effect } from "effect"

/** A log of a store, and what happens before which of its reads. */
interface Disturbance {
  readonly workspace: number
  readonly at: number
  readonly disturb: Effect.Effect<void, unknown>
}

/**
 * A store that runs an effect before one of its reads of a log, as another process may, and how many reads of
 * that log there were.
 */
export const disturbed = (store: FrameStore, { workspace, at, disturb }: Disturbance) => {
  let calls = 0
  const before =
    <Args extends readonly [number, ...ReadonlyArray<unknown>], A, E>(
      read: (...args: Args) => Effect.Effect<A, E>
    ) =>
    (...args: Args) =>
      Effect.andThen(
        Effect.suspend(() => (args[0] === workspace && calls++ === at ? Effect.orDie(disturb) : Effect.void)),
        read(...args)
      )
  const reads: FrameStore = {
    ...store,
    position: before(store.position),
    within: before(store.within),
    neighbours: before(store.neighbours),
    parts: before(store.parts),
    signatures: before(store.signatures),
    starts: before(store.starts),
    texts: before(store.texts),
    columns: before(store.columns),
    postings: before(store.postings),
    groupSpans: before(store.groupSpans),
    frameSpans: before(store.frameSpans),
    orders: before(store.orders)
  }
  return { reads, calls: () => calls }
}
