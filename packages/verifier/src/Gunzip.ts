/** Decompression of a gzip stream (RFC 1952), by what every platform has: Node and browsers alike. */
import { Effect, Schema, Stream } from "effect"

/** The bytes are no gzip stream, or not a whole one. */
export class DamagedGzip extends Schema.TaggedError<DamagedGzip>()("DamagedGzip", {
  /** What the platform says of it. */
  detail: Schema.String
}) {
  override get message() {
    return `not a whole gzip stream: ${this.detail}`
  }
}

/**
 * The bytes within, piece by piece: memory holds a piece, however much it unpacks to. The stream is one gzip member: whatever comes
 * after it is damage, as browsers have it.
 */
export const gunzip = <E, R>(
  compressed: Stream.Stream<Uint8Array, E, R>
): Stream.Stream<Uint8Array, E | DamagedGzip, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      // A failure of the source comes out at the other end as an unknown value, so it is kept aside.
      let source: { readonly error: E } | undefined
      const kept = Stream.tapError(compressed, (error) =>
        Effect.sync(() => {
          source = { error }
        })
      )
      // A copy is a view of a buffer that nobody else holds, as web streams ask.
      const readable = yield* Stream.toReadableStreamEffect(
        Stream.map(kept, (bytes) => Uint8Array.from(bytes))
      )
      return Stream.fromReadableStream<Uint8Array, E | DamagedGzip>({
        evaluate: () => readable.pipeThrough(new DecompressionStream("gzip")),
        onError: (error) =>
          source === undefined
            ? new DamagedGzip({ detail: error instanceof Error ? error.message : String(error) })
            : source.error
      })
    })
  )
