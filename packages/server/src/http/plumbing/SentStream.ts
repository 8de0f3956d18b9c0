/** A body that is sent as it is made, at the pace of its client, and never passes for whole unless it is. */
import type { ServerResponse } from "node:http"
import { Context, Effect, Exit, Stream } from "effect"

/** How little a client takes, and for how long, until it is cut off. */
interface Patience {
  readonly millis: number
  /** The least that it takes in that time, while something waits for it. */
  readonly bytes: number
}

/**
 * The patience with clients; to be replaced in tests. The systems of both sides hold some megabytes, and a
 * slow client's progress shows only as these move on.
 */
export const StreamPatience = Context.Reference<Patience>("@cairn/server/StreamPatience", {
  defaultValue: () => ({ millis: 60_000, bytes: 64 * 1024 })
})

/** Bytes that the client's system has taken of the connection. */
const takenBy = ({ socket }: ServerResponse): number =>
  socket === null ? 0 : socket.bytesWritten - socket.writableLength

/** Cuts off a client for which something waits, and which takes next to none of it. */
const watch = (response: ServerResponse, { millis, bytes }: Patience): Effect.Effect<void> => {
  const look = (before: number | undefined): Effect.Effect<void> =>
    Effect.andThen(
      Effect.sleep(millis),
      Effect.suspend(() => {
        const waits = response.writableLength > 0
        const taken = takenBy(response)
        if (!waits || before === undefined || taken - before >= bytes) return look(waits ? taken : undefined)
        response.destroy()
        return Effect.void
      })
    )
  return Effect.suspend(() => look(response.writableLength > 0 ? takenBy(response) : undefined))
}

/**
 * The end of a body that is not whole. One in chunks lacks its last one, which says so; to a client of
 * HTTP/1.0, for which the end of the connection is the end of the body, a reset says it.
 */
const cut = (response: ServerResponse): void => {
  if (response.req.httpVersion === "1.0") response.socket?.resetAndDestroy()
}

/** The body of an answer whose client is watched, until it ends. */
export const sentStream = <E, R>(
  response: ServerResponse,
  content: Stream.Stream<Uint8Array, E, R>
): Stream.Stream<Uint8Array, E, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      yield* Effect.forkScoped(watch(response, yield* StreamPatience))
      return Stream.onExit(content, (exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit)) cut(response)
        })
      )
    })
  )
