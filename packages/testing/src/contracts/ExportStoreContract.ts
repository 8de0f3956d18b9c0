/** The contract of the port `ExportStore`, as tests. */
import { ExportFileMissing, ExportStore, type FileRange } from "@cairn/core/export"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option, Stream } from "effect"

/** Makes the layer of an empty store. It is called once for each test, and its layer is built once. */
export type ExportStoreLayer = () => Layer.Layer<ExportStore, unknown>

const utf8 = new TextEncoder()
const TYPE = "text/csv; charset=utf-8; header=present"

/** `count` different chunks of `size` bytes each, made on demand. */
const chunks = (count: number, size: number): Stream.Stream<Uint8Array> =>
  Stream.map(Stream.range(1, count), (index) => new Uint8Array(size).fill(index % 251))

const text = (...pieces: ReadonlyArray<string>) =>
  Stream.fromIterable(pieces.map((piece) => utf8.encode(piece)))

const readAll = (name: string, range?: FileRange) =>
  Effect.flatMap(ExportStore, ({ read }) =>
    Effect.map(Stream.runCollect(read(name, range)), (pieces) => Buffer.concat(pieces))
  )

/** Registers the contract of `ExportStore` for the store called `name`. */
export const exportStoreContract = (name: string, store: ExportStoreLayer): void => {
  const test = <A, E>(says: string, body: Effect.Effect<A, E, ExportStore>): void =>
    it.live(says, () => Effect.suspend(() => Effect.provide(body, store())))

  describe(`${name}: ExportStore`, () => {
    test(
      "a file is read as it was written, and its bytes are counted",
      Effect.gen(function* () {
        const { write } = yield* ExportStore
        assert.strictEqual(yield* write("wsp_1/exp_1.1.csv", TYPE, text("a,b\r\n", "ü,\u{1F600}\r\n")), 14)
        assert.strictEqual((yield* readAll("wsp_1/exp_1.1.csv")).toString(), "a,b\r\nü,\u{1F600}\r\n")
      })
    )

    test(
      "a file may be empty",
      Effect.gen(function* () {
        const { write } = yield* ExportStore
        assert.strictEqual(yield* write("wsp_1/empty.csv", TYPE, Stream.empty), 0)
        assert.lengthOf(yield* readAll("wsp_1/empty.csv"), 0)
      })
    )

    test(
      "a file of 20 MB in uneven pieces is whole, and so is each range of it",
      Effect.gen(function* () {
        const { write } = yield* ExportStore
        const [count, size] = [201, 100_003]
        assert.strictEqual(yield* write("wsp_1/large.csv", TYPE, chunks(count, size)), count * size)
        const expected = Buffer.concat(yield* Stream.runCollect(chunks(count, size)))
        assert.isTrue((yield* readAll("wsp_1/large.csv")).equals(expected))
        for (const [start, end] of [
          [0, 2],
          [65_535, 131_073],
          [count * size - 1, count * size]
        ] as const) {
          const part = yield* readAll("wsp_1/large.csv", { start, end })
          assert.isTrue(part.equals(expected.subarray(start, end)), `${start} to ${end}`)
        }
      })
    )

    test(
      "what was never written is missing",
      Effect.gen(function* () {
        const error = yield* Effect.flip(readAll("wsp_1/exp_none.csv"))
        assert.deepStrictEqual(error, new ExportFileMissing({ name: "wsp_1/exp_none.csv" }))
      })
    )

    test(
      "a write that fails leaves nothing to be read, however far it came",
      Effect.gen(function* () {
        const { write } = yield* ExportStore
        for (const count of [1, 200]) {
          const file = `wsp_1/failing-${count}.csv`
          const broken = Stream.concat(chunks(count, 100_000), Stream.fail("the log is gone" as const))
          assert.strictEqual(yield* Effect.flip(write(file, TYPE, broken)), "the log is gone")
          assert.instanceOf(yield* Effect.flip(readAll(file)), ExportFileMissing)
        }
      })
    )

    test(
      "a write that is interrupted leaves nothing to be read",
      Effect.gen(function* () {
        const { write } = yield* ExportStore
        const endless = Stream.concat(chunks(100, 100_000), Stream.never)
        const late = yield* Effect.timeoutOption(write("wsp_1/endless.csv", TYPE, endless), 500)
        assert.isTrue(Option.isNone(late))
        assert.instanceOf(yield* Effect.flip(readAll("wsp_1/endless.csv")), ExportFileMissing)
      })
    )

    test(
      "a removed file is gone, and removing again finds nothing wrong",
      Effect.gen(function* () {
        const { write, remove } = yield* ExportStore
        yield* write("wsp_1/gone.csv", TYPE, text("a"))
        yield* write("wsp_1/stays.csv", TYPE, text("b"))
        yield* remove("wsp_1/gone.csv")
        yield* remove("wsp_1/gone.csv")
        assert.instanceOf(yield* Effect.flip(readAll("wsp_1/gone.csv")), ExportFileMissing)
        assert.strictEqual((yield* readAll("wsp_1/stays.csv")).toString(), "b")
      })
    )

    test(
      "a folder's files are listed, whole ones alone and none of another's",
      Effect.gen(function* () {
        const { write, list, remove } = yield* ExportStore
        assert.deepStrictEqual(yield* list("wsp_1"), [])
        const names = ["wsp_1/a.csv", "wsp_1/b.1.csv", "wsp_1/deep/c.csv"]
        for (const file of [...names, "wsp_10/d.csv"]) yield* write(file, TYPE, text("x"))
        yield* Effect.exit(write("wsp_1/broken.csv", TYPE, Stream.concat(text("x"), Stream.fail("no"))))
        assert.sameMembers([...(yield* list("wsp_1"))], names)
        yield* remove("wsp_1/a.csv")
        assert.sameMembers([...(yield* list("wsp_1"))], names.slice(1))
      })
    )

    test(
      "a file that is written again is replaced whole, also by what is read from it; one that cannot be is left as it was",
      Effect.gen(function* () {
        const { write, read } = yield* ExportStore
        const file = "wsp_1/again.csv"
        yield* write(file, TYPE, chunks(120, 100_000))
        const broken = Stream.concat(Stream.take(read(file), 10), Stream.fail("no" as const))
        assert.strictEqual(yield* Effect.flip(write(file, TYPE, broken)), "no")
        assert.lengthOf(yield* readAll(file), 12_000_000)
        yield* write(file, TYPE, Stream.concat(text("first"), read(file)))
        const all = yield* readAll(file)
        assert.lengthOf(all, 12_000_005)
        assert.strictEqual(all.subarray(0, 5).toString(), "first")
        assert.strictEqual(all.at(-1), 120)
        yield* write(file, TYPE, text("short"))
        assert.strictEqual((yield* readAll(file)).toString(), "short")
      })
    )

    test(
      "no name leads out of the store",
      Effect.gen(function* () {
        const { write } = yield* ExportStore
        for (const bad of ["../x", "/x", "a/../../x", "", "a//b", ".hidden", "a/.part", "a b"]) {
          const exit = yield* Effect.exit(write(bad, TYPE, text("x")))
          assert.strictEqual(exit._tag, "Failure", bad)
        }
      })
    )
  })
}
