/** Gzip streams (RFC 1952), by what every platform has: Node and browsers alike. */
import { Effect, Schema, Stream } from "effect"

/** The bytes are no gzip stream, or not a whole one. */
export class NotGzip extends Schema.TaggedError<NotGzip>()("NotGzip", {
  /** What the platform says of it. */
  detail: Schema.String
}) {}

/** Passes a stream through a transformation of the platform. A failure of the source comes out as it went in. */
const through = <E, F, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  transformation: () => CompressionStream | DecompressionStream,
  damaged: (detail: string) => F
): Stream.Stream<Uint8Array, E | F, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      let source: { readonly error: E } | undefined
      const kept = Stream.tapError(content, (error) =>
        Effect.sync(() => {
          source = { error }
        })
      )
      // A copy is a view of a buffer that nobody else holds, as web streams ask.
      const readable = yield* Stream.toReadableStreamEffect(
        Stream.map(kept, (bytes) => Uint8Array.from(bytes))
      )
      return Stream.fromReadableStream<Uint8Array, E | F>({
        evaluate: () => readable.pipeThrough(transformation()),
        onError: (error) =>
          source === undefined
            ? damaged(error instanceof Error ? error.message : String(error))
            : source.error
      })
    })
  )

/** The compressed bytes, piece by piece: memory holds a piece. */
export const gzip = <E, R>(content: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
  through(
    content,
    () => new CompressionStream("gzip"),
    // Whatever the bytes are, they can be compressed.
    (detail): never => {
      throw new Error(detail)
    }
  )

/** The bytes within, piece by piece. */
export const gunzip = <E, R>(
  compressed: Stream.Stream<Uint8Array, E, R>
): Stream.Stream<Uint8Array, E | NotGzip, R> =>
  through(
    compressed,
    () => new DecompressionStream("gzip"),
    (detail) => new NotGzip({ detail })
  )
