/**
 * Keeps what is done with many contents from holding up everybody else: after so many characters the event
 * loop has a turn.
 *
 * A page of a hundred large events is some 24 MB, and parsing it takes a second or more where its keys have
 * escapes or its objects are many and small.
 */
import { Effect, Semaphore } from "effect"

/**
 * Characters of contents that are parsed, or written, in one turn of the event loop; or those of one event
 * that has more.
 */
export const TURN_SIZE = 262_144

/**
 * The pieces of a list, each of at most {@link TURN_SIZE}, or of one item that is larger; none of an empty
 * list.
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

/** A piece of work that pauses each time that it has done about {@link TURN_SIZE} characters of it. */
export type Steps<A> = Generator<void, A>

/** Does work in one go. */
export const finished = <A>(work: Generator<unknown, A>): A => {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

/** Does what is much work a little at a time. */
export interface Pace {
  /**
   * What becomes of each item, in their order. Up to {@link TURN_SIZE} in all it is done at once, as by
   * `Array.map`; more is done in pieces, each in a turn of its own, which it shares with no other piece of
   * the same pace.
   */
  readonly map: <A, B>(
    items: ReadonlyArray<A>,
    sizeOf: (item: A) => number,
    f: (item: A) => B
  ) => Effect.Effect<ReadonlyArray<B>>
  /** The outcome of a work, each of whose steps has a turn of its own as a piece has. */
  readonly finish: <A>(work: Steps<A>) => Effect.Effect<A>
}

/**
 * Makes a pace, which many may keep at once: one piece of theirs is done in a turn, first come, first served.
 */
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

/** Characters of a content that is there. */
export const contentSize = ({ content }: { readonly content: string | null }): number => content?.length ?? 0
