/**
 * How much memory large answers take together. An answer of events or proofs may have megabytes: each
 * reserves the most that it may have before it is built, and keeps what it has until its client took it.
 */
import type { ServerResponse } from "node:http"
import { Effect, type Scope, Semaphore } from "effect"

/** Bytes that lists and proofs of events may have together; further ones wait. */
export const MOST_BYTES = 48 * 1024 * 1024

/** Bytes that all other answers may have together: who is slow to take lists is not in their way. */
export const MOST_OTHER_BYTES = 8 * 1024 * 1024

/** Bytes of an answer that is not counted once it is built: the system takes it at once from this process. */
export const SMALL_ANSWER = 64 * 1024

/** How often a client that has not taken its answer is looked at, in milliseconds, and the least it takes. */
const LOOK_EVERY_MILLIS = 10_000
const LEAST_TAKEN = 64 * 1024

/** A request whose answer may be large. */
interface Wanted {
  readonly workspaceId: string
  /** The most bytes that its answer may have. */
  readonly most: number
  readonly response: ServerResponse
}

/** What is built: bytes, or text that is nearly all of it. */
interface Sized {
  readonly body: { readonly length: number }
}

/** The budget of a server. */
export interface AnswerBudget {
  /** Builds an answer, or its large part, once there is room. Workspaces wait for their own answers first. */
  readonly build: <A extends Sized, E>(wanted: Wanted, answer: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Bytes that are reserved or kept now. */
  readonly taken: () => number
}

/** The answers of one workspace. */
interface Share {
  readonly bytes: Semaphore.Semaphore
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
    const shares = new Map<string, Share>()
    let taken = 0

    const enter = (workspaceId: string): Share => {
      const share = shares.get(workspaceId) ?? {
        bytes: Semaphore.makeUnsafe(bytesAWorkspace),
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
    const release = (share: Share, bytes: number) =>
      Effect.suspend(() => {
        taken -= bytes
        return Effect.andThen(all.release(bytes), share.bytes.release(bytes))
      })

    const build: AnswerBudget["build"] = ({ workspaceId, most, response }, answer) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const share = enter(workspaceId)
          const reserved = Math.min(Math.ceil(most), bytesAWorkspace)
          const leaving = Effect.sync(() => leave(workspaceId, share))
          yield* restore(share.bytes.take(reserved)).pipe(Effect.onError(() => leaving))
          yield* restore(all.take(reserved)).pipe(
            Effect.onError(() => Effect.andThen(share.bytes.release(reserved), leaving))
          )
          taken += reserved
          const built = yield* restore(answer).pipe(
            Effect.onError(() => Effect.andThen(release(share, reserved), leaving))
          )
          const size = Math.min(built.body.length, reserved)
          const kept = size > SMALL_ANSWER ? size : 0
          yield* release(share, reserved - kept)
          if (kept === 0) yield* leaving
          else {
            yield* sent(response).pipe(
              Effect.ensuring(Effect.andThen(release(share, kept), leaving)),
              Effect.forkIn(scope)
            )
          }
          return built
        })
      )
    return { build, taken: () => taken }
  })
