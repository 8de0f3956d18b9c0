/**
 * How much memory large answers take together. An answer of events or proofs may have megabytes: each
 * reserves the most that it may have before it is built, and keeps what it has until its client took it.
 */
import type { ServerResponse } from "node:http"
import { Effect, type Scope, Semaphore } from "effect"
import { type ApiError, overLimit } from "../plumbing/ApiError.ts"

/** Bytes that lists and proofs of events may have together; further ones wait. */
export const MOST_BYTES = 48 * 1024 * 1024

/** Bytes that all other answers may have together: who is slow to take lists is not in their way. */
export const MOST_OTHER_BYTES = 8 * 1024 * 1024

/** Bytes of an answer that is not counted once it is built: the system takes it at once from this process. */
export const SMALL_ANSWER = 64 * 1024

/** How often a client that has not taken its answer is looked at, in milliseconds, and the least it takes. */
const LOOK_EVERY_MILLIS = 10_000
const LEAST_TAKEN = 64 * 1024

/** How long an answer waits for room, in seconds; then it is `503`. */
const MOST_WAIT_SECONDS = 10

/** A request whose answer may be large. */
interface Wanted {
  readonly workspaceId: string
  /** Whether a viewer token asks: those of a workspace have a part of its share, and keys the rest. */
  readonly isViewer: boolean
  /** The most bytes that its answer may have. */
  readonly most: number
  readonly response: ServerResponse
}

/** Who asks, of a request. */
interface Asking {
  readonly identity: { readonly workspaceId: string }
  readonly viewer: unknown
  readonly response: ServerResponse
}

/** The request of a client whose answer may have so many bytes. */
export const wantedBy = ({ identity, viewer, response }: Asking, most: number): Wanted => ({
  workspaceId: identity.workspaceId,
  isViewer: viewer !== null,
  most,
  response
})

/** What is built: bytes, or text that is nearly all of it. */
interface Sized {
  readonly body: string | Uint8Array
}

/** Bytes of memory for each character of a text, at most. */
export const WIDE = 2

/** Bytes of memory that a body takes: two for each character, unless all of them are ASCII. */
export const heldBytes = (body: string | Uint8Array): number =>
  body.length * (typeof body === "string" && Buffer.byteLength(body) > body.length ? WIDE : 1)

/** The budget of a server. */
export interface AnswerBudget {
  /**
   * Builds an answer, or its large part, once there is room; `503` if there is none in ten seconds.
   * Workspaces wait for their own answers first.
   */
  readonly build: <A extends Sized, E>(
    wanted: Wanted,
    answer: Effect.Effect<A, E>
  ) => Effect.Effect<A, E | ApiError>
  /** Bytes that are reserved or kept now. */
  readonly taken: () => number
}

const FULL = "Other large answers are still being sent; try again shortly, or ask for fewer at a time"

const inTime = <A>(waiting: Effect.Effect<A>): Effect.Effect<A, ApiError> =>
  Effect.timeoutOrElse(waiting, {
    duration: `${MOST_WAIT_SECONDS} seconds`,
    orElse: () => Effect.fail(overLimit("large_answers", FULL, MOST_WAIT_SECONDS))
  })

/** The answers of one workspace. */
interface Share {
  readonly bytes: Semaphore.Semaphore
  /** Of these, those of viewer tokens. */
  readonly viewers: Semaphore.Semaphore
  /** How many are waiting, being built or being sent. */
  answers: number
}

/** Bytes that the client's system has taken of the connection. */
const takenBy = ({ socket }: ServerResponse): number =>
  socket === null ? 0 : socket.bytesWritten - socket.writableLength

/**
 * Waits until the response is over. A client that takes next to nothing has its connection closed: its answer
 * would be in the way of all others.
 */
const sent = (response: ServerResponse): Effect.Effect<void> => {
  const over = Effect.callback<void>((resume) => {
    const end = () => resume(Effect.void)
    if (response.closed || response.destroyed) return end()
    response.once("close", end)
    return Effect.sync(() => response.off("close", end))
  })
  const look = (before: number): Effect.Effect<void> =>
    Effect.andThen(
      Effect.sleep(LOOK_EVERY_MILLIS),
      Effect.suspend(() => {
        const now = takenBy(response)
        // One whose total is still being counted is not being sent yet.
        if (!response.headersSent || now - before >= LEAST_TAKEN) return look(now)
        response.destroy()
        return Effect.void
      })
    )
  return Effect.raceFirst(
    over,
    Effect.suspend(() => look(takenBy(response)))
  )
}

/** Makes a budget of so many bytes, half of them for one workspace, of which nothing is taken yet. */
export const makeAnswerBudget = (bytes: number): Effect.Effect<AnswerBudget, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const all = Semaphore.makeUnsafe(bytes)
    const bytesAWorkspace = bytes / 2
    const bytesOfViewers = bytes / 3
    const shares = new Map<string, Share>()
    let taken = 0

    const enter = (workspaceId: string): Share => {
      const share = shares.get(workspaceId) ?? {
        bytes: Semaphore.makeUnsafe(bytesAWorkspace),
        viewers: Semaphore.makeUnsafe(bytesOfViewers),
        answers: 0
      }
      shares.set(workspaceId, share)
      share.answers++
      return share
    }
    const leave = (workspaceId: string, share: Share) => {
      share.answers--
      if (share.answers === 0) shares.delete(workspaceId)
    }
    /** Takes so many bytes of each, in this order; takes none if that is interrupted. */
    const takeAll = (places: ReadonlyArray<Semaphore.Semaphore>, bytes: number): Effect.Effect<void> => {
      const [first, ...others] = places
      return first === undefined
        ? Effect.void
        : Effect.uninterruptibleMask((restore) =>
            Effect.andThen(
              restore(first.take(bytes)),
              Effect.onError(restore(takeAll(others, bytes)), () => first.release(bytes))
            )
          )
    }
    const release = (places: ReadonlyArray<Semaphore.Semaphore>, bytes: number) =>
      Effect.suspend(() => {
        taken -= bytes
        return Effect.forEach(places, (place) => place.release(bytes), { discard: true })
      })

    const build: AnswerBudget["build"] = ({ workspaceId, isViewer, most, response }, answer) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const share = enter(workspaceId)
          const reserved = Math.min(Math.ceil(most), isViewer ? bytesOfViewers : bytesAWorkspace)
          const places = [...(isViewer ? [share.viewers] : []), share.bytes, all]
          const leaving = Effect.sync(() => leave(workspaceId, share))
          yield* restore(inTime(takeAll(places, reserved))).pipe(Effect.onError(() => leaving))
          taken += reserved
          const built = yield* restore(answer).pipe(
            Effect.onError(() => Effect.andThen(release(places, reserved), leaving))
          )
          const size = Math.min(heldBytes(built.body), reserved)
          const kept = size > SMALL_ANSWER ? size : 0
          yield* release(places, reserved - kept)
          if (kept === 0) yield* leaving
          else {
            yield* sent(response).pipe(
              Effect.ensuring(Effect.andThen(release(places, kept), leaving)),
              Effect.forkIn(scope)
            )
          }
          return built
        })
      )
    return { build, taken: () => taken }
  })
