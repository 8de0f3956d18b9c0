/** Gzip streams (RFC 1952), with what Node and browsers both provide. */
import { Effect, Schema, type Scope, Stream } from "effect"

/** The bytes are not a gzip stream, or an incomplete one. */
export class DamagedGzip extends Schema.TaggedError<DamagedGzip>()("DamagedGzip", {
  /** The platform's message. */
  detail: Schema.String
}) {
  override get message() {
    return `not a whole gzip stream: ${this.detail}`
  }
}

/**
 * The parts of Node that are used. They are looked up without importing a Node module, so that a bundler for
 * browsers finds no such import.
 */
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
 * Bytes of a piece. Each piece costs a turn of a thread and of the event loop; with Node's 16 KiB those turns
 * take longer than the unpacking.
 */
const PIECE = 256 * 1024

/** How many pieces another thread unpacks ahead of the one in use. As many packed pieces are read ahead. */
const AHEAD = 2

/**
 * Unpacks with Node's own stream: through a web stream, verifying a bundle takes a tenth longer (measured).
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
    // The reader of the output gets any failure, including one of the source.
    stream.pipeline(packed, unpacked, () => {})
    return unpacked
  }
}

/**
 * Runs a stream through a transformation that cannot carry typed failures. A failure of the source comes out
 * unchanged.
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
      // A failure of the source comes out of the transformation as an unknown value, so it is kept here.
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

/** Transforms with a compressor or decompressor of the web streams API. */
const throughWeb =
  (transformation: () => ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>>) =>
  <E, F, R>(content: Stream.Stream<Uint8Array, E, R>, onError: (error: unknown) => F) =>
    // Web streams require a view of a buffer that nothing else uses, hence the copy.
    Effect.map(
      Stream.toReadableStreamEffect(Stream.map(content, (bytes) => new Uint8Array(bytes))),
      (readable) =>
        Stream.fromReadableStream({ evaluate: () => readable.pipeThrough(transformation()), onError })
    )

/** Transforms with a stream of Node. It is closed when the scope closes, after its source. */
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
            // Closed here because Node's stream would first wait for the piece it asked for, which may never
            // come.
            await source.return?.()
          })
      )
      // As a plain `Uint8Array`: slicing Node's `Buffer` takes longer.
      return Stream.map(
        Stream.fromAsyncIterable(transformed, onError),
        ({ buffer, byteOffset, length }) => new Uint8Array(buffer, byteOffset, length)
      )
    })

/** The compressed bytes, piece by piece. Memory holds one piece. */
export const gzip = <E, R>(content: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
  through(
    content,
    // Any bytes can be compressed, so this cannot fail.
    (detail): never => {
      throw new Error(detail)
    },
    throughWeb(() => new CompressionStream("gzip"))
  )

/**
 * The unpacked bytes, piece by piece. Memory holds a few pieces, however much the stream unpacks to. The
 * stream must be one gzip member: any bytes after it are an error, as in browsers.
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
