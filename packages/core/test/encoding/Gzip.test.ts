import { setTimeout } from "node:timers/promises"
import { gunzipSync, gzipSync } from "node:zlib"
import { DamagedGzip, gunzip } from "@cairn/core/encoding"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Stream } from "effect"
import { gzip } from "../../src/encoding/Gzip.ts"

/** Larger than what is unpacked ahead, and little of it the same. */
const content = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * index) >> (index % 11))
const packed = new Uint8Array(gzipSync(content))

const inPieces = (bytes: Uint8Array, size: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size)
  )

const collect = <E>(stream: Stream.Stream<Uint8Array, E>) =>
  Effect.map(Stream.runCollect(stream), (pieces) => new Uint8Array(Buffer.concat(pieces)))

/** Hides Node's own streams for as long as the scope lasts, as a browser has none. */
const inBrowser = Effect.acquireRelease(
  Effect.sync(() => {
    const { getBuiltinModule } = process
    Object.assign(process, { getBuiltinModule: undefined })
    return getBuiltinModule
  }),
  (getBuiltinModule) => Effect.sync(() => Object.assign(process, { getBuiltinModule }))
)

/** Waits for some seconds until it is so: what is let go of lets go in turn. */
const eventually = (condition: () => boolean) =>
  Effect.promise(async () => {
    for (let waited = 0; waited < 100 && !condition(); waited++) await setTimeout(100)
  })

const platforms = [
  { name: "Node", enter: Effect.void },
  { name: "a browser", enter: inBrowser }
]

for (const { name, enter } of platforms) {
  describe(`A gzip stream in ${name}`, () => {
    for (const size of [1_000, 65_536, packed.length]) {
      it.effect(`is unpacked from pieces of ${size} bytes`, () =>
        Effect.gen(function* () {
          yield* enter
          const unpacked = yield* collect(gunzip(Stream.fromIterable(inPieces(packed, size))))
          assert.isTrue(Buffer.from(unpacked).equals(content))
        })
      )
    }

    it.effect("is packed so that others unpack it", () =>
      Effect.gen(function* () {
        yield* enter
        const bytes = yield* collect(gzip(Stream.fromIterable(inPieces(content, 100_000))))
        assert.isTrue(gunzipSync(bytes).equals(content))
      })
    )

    const damage = {
      "cut off": packed.subarray(0, packed.length - 9),
      "without its checksum": packed.subarray(0, packed.length - 8),
      "of something else": content.subarray(0, 1_000),
      "with a bit changed": packed.map((byte, index) => (index === packed.length >> 1 ? byte ^ 1 : byte)),
      "with more behind it": Uint8Array.from([...packed, 0]),
      "with another behind it": new Uint8Array(Buffer.concat([packed, packed])),
      "of no bytes": new Uint8Array(0)
    }
    for (const [how, bytes] of Object.entries(damage)) {
      it.effect(`${how} is damaged`, () =>
        Effect.gen(function* () {
          yield* enter
          const error = yield* Effect.flip(collect(gunzip(Stream.fromIterable(inPieces(bytes, 65_536)))))
          assert.instanceOf(error, DamagedGzip)
        })
      )
    }

    it.effect("fails as its source does", () =>
      Effect.gen(function* () {
        yield* enter
        const source = Stream.concat(Stream.make(packed.subarray(0, 100_000)), Stream.fail("no such disk"))
        assert.strictEqual(yield* Effect.flip(collect(gunzip(source))), "no such disk")
      })
    )

    it.effect("lets go of its source when nobody reads on", () =>
      Effect.gen(function* () {
        yield* enter
        let released = false
        const source = Stream.fromIterable(inPieces(packed, 1_000)).pipe(
          Stream.ensuring(Effect.sync(() => (released = true)))
        )
        const exit = yield* Effect.exit(Stream.runHead(gunzip(source)))
        assert.isTrue(Exit.isSuccess(exit))
        yield* eventually(() => released)
        assert.isTrue(released)
      })
    )

    it.effect("lets go of a source that is stalled when its reader is interrupted", () =>
      Effect.gen(function* () {
        yield* enter
        let read = 0
        let released = false
        const source = Stream.concat(Stream.make(packed.subarray(0, packed.length >> 1)), Stream.never).pipe(
          Stream.ensuring(Effect.sync(() => (released = true)))
        )
        const reading = Stream.runForEach(gunzip(source), ({ length }) => Effect.sync(() => (read += length)))
        const fiber = yield* Effect.forkChild(reading)
        // Until it waits for what does not come.
        for (let before = -1; read === 0 || before < read; ) {
          before = read
          yield* Effect.promise(() => setTimeout(100))
        }
        yield* Fiber.interrupt(fiber)
        yield* eventually(() => released)
        assert.isTrue(released)
      })
    )
  })
}
