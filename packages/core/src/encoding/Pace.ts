/**
 * Long work over many contents in turns, so that other requests are not held up: after {@link TURN_SIZE}
 * characters the event loop runs once.
 *
 * A page of a hundred large events is some 24 MB, and parsing it takes a second or more where its keys have
 * escapes or its objects are many and small.
 */
import { Effect, Semaphore } from "effect"

/**
 * Characters of contents that are parsed or written in one turn of the event loop. One event with more takes
 * a turn by itself.
 */
export const TURN_SIZE = 262_144

/**
 * Cuts a list into pieces of at most {@link TURN_SIZE} each; a larger item is a piece by itself. An empty
 * list has no pieces.
 */
export const piecesOf = <A>(
  items: ReadonlyArray<A>,
  sizeOf: (item: A) => number
): ReadonlyArray<ReadonlyArray<A>> => {
  const pieces: Array<ReadonlyArray<A>> = []
  let begin = 0
  let size = 0
  for (const [index, item] of items.entries()) {
    const more = sizeOf(item)
    if (index > begin && size + more > TURN_SIZE) {
      pieces.push(items.slice(begin, index))
      begin = index
      size = 0
    }
    size += more
  }
  if (items.length > begin) pieces.push(begin === 0 ? items : items.slice(begin))
  return pieces
}

/** Work that pauses each time it has processed about {@link TURN_SIZE} characters. */
export type Steps<A> = Generator<void, A>

/** Does all steps at once. */
export const finished = <A>(work: Generator<unknown, A>): A => {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

/** Does long work in turns. */
export interface Pace {
  /**
   * Maps each item, in order. Up to {@link TURN_SIZE} in all this is done at once, as by `Array.map`; more is
   * done in pieces, one piece a turn. Pieces of the same pace never share a turn.
   */
  readonly map: <A, B>(
    items: ReadonlyArray<A>,
    sizeOf: (item: A) => number,
    f: (item: A) => B
  ) => Effect.Effect<ReadonlyArray<B>>
  /** Does the steps of some work, each in a turn of its own, and returns its result. */
  readonly finish: <A>(work: Steps<A>) => Effect.Effect<A>
}

/** Makes a pace, which many fibers may use at once: one piece is done in a turn, first come, first served. */
export const makePace = (): Pace => {
  const turn = Semaphore.makeUnsafe(1)
  const next = <A>(f: () => A): Effect.Effect<A> =>
    turn.withPermit(Effect.andThen(Effect.yieldNow, Effect.sync(f)))
  return {
    finish: Effect.fnUntraced(function* <A>(work: Steps<A>) {
      for (;;) {
        const step = yield* next(() => work.next())
        if (step.done === true) return step.value
      }
    }),
    map: (items, sizeOf, f) =>
      Effect.suspend(() => {
        const pieces = piecesOf(items, sizeOf)
        if (pieces.length < 2) return Effect.succeed(items.map((item) => f(item)))
        return Effect.map(
          Effect.forEach(pieces, (piece) => next(() => piece.map((item) => f(item)))),
          (done) => done.flat()
        )
      })
  }
}

/** Characters of a content; 0 if it was removed. */
export const contentSize = ({ content }: { readonly content: string | null }): number => content?.length ?? 0
