/** Gzip streams (RFC 1952), by what every platform has: Node and browsers alike. */
import { Effect, Schema, type Scope, Stream } from "effect"

/** The bytes are no gzip stream, or not a whole one. */
export class DamagedGzip extends Schema.TaggedError<DamagedGzip>()("DamagedGzip", {
  /** What the platform says of it. */
  detail: Schema.String
}) {
  override get message() {
    return `not a whole gzip stream: ${this.detail}`
  }
}

/** What of Node is used, found without importing a Node module so that a bundler for browsers sees none. */
interface Runtime {
  readonly process?: { readonly getBuiltinModule?: (id: string) => unknown }
}
type Bytes = AsyncIterable<Uint8Array>
type NativeTransformation = Bytes & { readonly destroy: () => void }
interface NativeGzip {
  readonly createGunzip: (options: {
    readonly chunkSize: number
    readonly highWaterMark: number
    readonly rejectGarbageAfterEnd: boolean
  }) => NativeTransformation
}
interface NativeStream {
  readonly pipeline: (source: Bytes, transformation: Bytes, ended: () => void) => void
}

/**
 * Bytes of a piece: each is a turn of a thread and of the event loop, which with Node's 16 KiB take longer
 * than what is in them.
 */
const PIECE = 256 * 1024

/**
 * Pieces that are unpacked ahead, by another thread, of what is done with the one at hand, and of packed
 * bytes as many.
 */
const AHEAD = 2

/**
 * Unpacks by Node's own stream: with the web stream around it, verifying a bundle takes a tenth longer
 * (measured).
 */
const nativeGunzip = (): ((packed: Bytes) => NativeTransformation) | undefined => {
  const load = (globalThis as Runtime).process?.getBuiltinModule
  const gzip = load?.("node:zlib") as NativeGzip | undefined
  const stream = load?.("node:stream") as NativeStream | undefined
  if (gzip === undefined || stream === undefined) return undefined
  return (packed) => {
    const unpacked = gzip.createGunzip({
      chunkSize: PIECE,
      highWaterMark: AHEAD * PIECE,
      rejectGarbageAfterEnd: true
    })
    // Whoever reads is told of a failure, of the source too.
    stream.pipeline(packed, unpacked, () => {})
    return unpacked
  }
}

/**
 * Runs a stream through something that knows nothing of its failures: one of the source comes out as it went
 * in.
 */
const through = <E, F, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  damaged: (detail: string) => F,
  transform: (
    content: Stream.Stream<Uint8Array, E, R>,
    onError: (error: unknown) => E | F
  ) => Effect.Effect<Stream.Stream<Uint8Array, E | F>, never, R | Scope.Scope>
): Stream.Stream<Uint8Array, E | F, R> =>
  Stream.unwrap(
    Effect.suspend(() => {
      // A failure of the source comes out at the other end as an unknown value, so it is kept aside.
      let source: { readonly error: E } | undefined
      const kept = Stream.tapError(content, (error) =>
        Effect.sync(() => {
          source = { error }
        })
      )
      return transform(kept, (error) =>
        source === undefined ? damaged(error instanceof Error ? error.message : String(error)) : source.error
      )
    })
  )

/** By a compressor or decompressor as web streams have it. */
const throughWeb =
  (transformation: () => ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>>) =>
  <E, F, R>(content: Stream.Stream<Uint8Array, E, R>, onError: (error: unknown) => F) =>
    // A copy is a view of a buffer that nobody else holds, as web streams ask.
    Effect.map(
      Stream.toReadableStreamEffect(Stream.map(content, (bytes) => new Uint8Array(bytes))),
      (readable) =>
        Stream.fromReadableStream({ evaluate: () => readable.pipeThrough(transformation()), onError })
    )

/** By a stream of Node's, which ends with the scope, and its source before it. */
const throughNative =
  (transformation: (content: Bytes) => NativeTransformation) =>
  <E, F, R>(content: Stream.Stream<Uint8Array, E, R>, onError: (error: unknown) => F) =>
    Effect.gen(function* () {
      const bytes = yield* Stream.toAsyncIterableEffect(content)
      const { transformed } = yield* Effect.acquireRelease(
        Effect.sync(() => {
          const source = bytes[Symbol.asyncIterator]()
          return { source, transformed: transformation({ [Symbol.asyncIterator]: () => source }) }
        }),
        ({ source, transformed }) =>
          Effect.promise(async () => {
            transformed.destroy()
            // Node's own stream would wait for the piece that is asked for, which may never come.
            await source.return?.()
          })
      )
      // Not as Node's own kind of array, whose parts take longer to name.
      return Stream.map(
        Stream.fromAsyncIterable(transformed, onError),
        ({ buffer, byteOffset, length }) => new Uint8Array(buffer, byteOffset, length)
      )
    })

/** The compressed bytes, piece by piece: memory holds a piece. */
export const gzip = <E, R>(content: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
  through(
    content,
    // Whatever the bytes are, they can be compressed.
    (detail): never => {
      throw new Error(detail)
    },
    throughWeb(() => new CompressionStream("gzip"))
  )

/**
 * The bytes within, piece by piece: memory holds a few of them, however much it unpacks to. The stream is one
 * gzip member: whatever comes after it is damage, as browsers have it.
 */
export const gunzip = <E, R>(
  compressed: Stream.Stream<Uint8Array, E, R>
): Stream.Stream<Uint8Array, E | DamagedGzip, R> => {
  const native = nativeGunzip()
  return through(
    compressed,
    (detail) => new DamagedGzip({ detail }),
    native === undefined ? throughWeb(() => new DecompressionStream("gzip")) : throughNative(native)
  )
}
