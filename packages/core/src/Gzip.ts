/** Gzip streams (RFC 1952), by what every platform has: Node and browsers alike. */
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

/** A compressor or decompressor as web streams have it. */
type Transformation = ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>>

/** What of Node is used, found without importing a Node module so that a bundler for browsers sees none. */
interface Runtime {
  readonly process?: { readonly getBuiltinModule?: (id: string) => unknown }
}
interface NativeGzip {
  readonly createGunzip: (options: {
    readonly chunkSize: number
    readonly readableHighWaterMark: number
    readonly rejectGarbageAfterEnd: boolean
  }) => unknown
}
interface NativeStream {
  readonly Duplex: { readonly toWeb: (duplex: unknown) => Transformation }
}

/** Bytes of a piece: each is a turn of a thread and of the event loop, which with Node's 16 KiB take longer than what is in them. */
const PIECE = 256 * 1024

/** Pieces that are unpacked ahead, by another thread, of what is done with the one at hand; a web stream holds as many more. */
const AHEAD = 2

/** The same as `DecompressionStream`, which Node makes of the same parts, in larger pieces. */
const nativeDecompressor = (): Transformation | undefined => {
  const load = (globalThis as Runtime).process?.getBuiltinModule
  const gzip = load?.("node:zlib") as NativeGzip | undefined
  const stream = load?.("node:stream") as NativeStream | undefined
  return gzip === undefined
    ? undefined
    : stream?.Duplex.toWeb(
        gzip.createGunzip({
          chunkSize: PIECE,
          readableHighWaterMark: AHEAD * PIECE,
          rejectGarbageAfterEnd: true
        })
      )
}

/** Passes a stream through a transformation. A failure of the source comes out as it went in. */
const through = <E, F, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  transformation: () => Transformation,
  damaged: (detail: string) => F
): Stream.Stream<Uint8Array, E | F, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      // A failure of the source comes out at the other end as an unknown value, so it is kept aside.
      let source: { readonly error: E } | undefined
      const kept = Stream.tapError(content, (error) =>
        Effect.sync(() => {
          source = { error }
        })
      )
      // A copy is a view of a buffer that nobody else holds, as web streams ask.
      const readable = yield* Stream.toReadableStreamEffect(
        Stream.map(kept, (bytes) => new Uint8Array(bytes))
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

/**
 * The bytes within, piece by piece: memory holds a few of them, however much it unpacks to. The stream is one gzip member: whatever comes
 * after it is damage, as browsers have it.
 */
export const gunzip = <E, R>(
  compressed: Stream.Stream<Uint8Array, E, R>
): Stream.Stream<Uint8Array, E | DamagedGzip, R> =>
  through(
    compressed,
    () => nativeDecompressor() ?? new DecompressionStream("gzip"),
    (detail) => new DamagedGzip({ detail })
  )
