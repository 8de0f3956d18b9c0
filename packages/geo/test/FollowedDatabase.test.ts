import { chmodSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type FollowedDatabase, follow } from "../src/FollowedDatabase.ts"
import { placeOf } from "../src/Place.ts"
import { eventually, makeLog, replaceFile, temporaryFolder } from "./Fixture.ts"
import { cityRecord, pointer, writeMmdb } from "./MmdbWriter.ts"

const folder = temporaryFolder()
let files = 0
const newPath = () => {
  const own = join(folder, `${files++}`)
  mkdirSync(own)
  return join(own, "city.mmdb")
}

const database = (city: string) => writeMmdb({ "81.0.0.0/8": cityRecord("GB", city) })
const cityOf = ({ get }: FollowedDatabase) => placeOf(get("81.2.69.142", 4)).city

/** Follows a file with this content, if any; `warned` gives the reasons of all warnings so far. */
const start = Effect.fnUntraced(function* (data: Uint8Array | string | null) {
  const log = makeLog()
  const path = newPath()
  if (data !== null) writeFileSync(path, data)
  const followed = yield* follow(path).pipe(Effect.provide(log.layer))
  const refresh = followed.refresh.pipe(Effect.provide(log.layer))
  yield* refresh
  const warned = () => log.warnings().map(({ annotations }) => annotations.reason)
  return { path, followed, refresh, log, warned }
})

describe("a followed database", () => {
  it.effect("is read, and says how many bytes it takes", () =>
    Effect.gen(function* () {
      const { path, followed, log } = yield* start(database("London"))
      assert.strictEqual(cityOf(followed), "London")
      assert.deepStrictEqual(
        log.debug().map(({ annotations }) => annotations),
        [{ file: path, bytes: database("London").length }]
      )
      assert.isEmpty(log.warnings())
    })
  )

  it.effect("is not read again while nothing changed", () =>
    Effect.gen(function* () {
      const { refresh, log } = yield* start(database("London"))
      yield* refresh
      yield* refresh
      assert.lengthOf(log.debug(), 1)
    })
  )

  it.effect("is read again when another file takes its name, or it is rewritten in place", () =>
    Effect.gen(function* () {
      const { path, followed, refresh, warned } = yield* start(database("London"))
      replaceFile(path, database("Oxford"))
      yield* refresh
      assert.strictEqual(cityOf(followed), "Oxford")
      // As long as the one before: only the time of writing tells.
      writeFileSync(path, database("Exeter"))
      yield* refresh
      assert.strictEqual(cityOf(followed), "Exeter")
      assert.isEmpty(warned())
    })
  )

  it.effect("stays in use when a damaged file takes its place, with one warning for each", () =>
    Effect.gen(function* () {
      const { path, followed, refresh, log, warned } = yield* start(database("London"))
      replaceFile(path, "damaged")
      yield* refresh
      yield* refresh
      assert.strictEqual(cityOf(followed), "London")
      assert.deepStrictEqual(warned(), ["damaged"])
      assert.strictEqual(log.warnings()[0]?.annotations.file, path)
      truncateSync(path, 3)
      yield* refresh
      yield* refresh
      assert.strictEqual(cityOf(followed), "London")
      assert.deepStrictEqual(warned(), ["damaged", "damaged"])
      replaceFile(path, database("Oxford"))
      yield* refresh
      assert.strictEqual(cityOf(followed), "Oxford")
    })
  )

  it.effect("stays in use while it is gone, with one warning for each time", () =>
    Effect.gen(function* () {
      const { path, followed, refresh, log, warned } = yield* start(database("London"))
      rmSync(path)
      yield* refresh
      yield* refresh
      assert.strictEqual(cityOf(followed), "London")
      assert.deepStrictEqual(warned(), ["missing"])
      writeFileSync(path, database("Oxford"))
      yield* refresh
      assert.strictEqual(cityOf(followed), "Oxford")
      // As when a volume is unmounted and mounted again: nothing about the file itself changes.
      renameSync(dirname(path), `${dirname(path)}.away`)
      yield* refresh
      renameSync(`${dirname(path)}.away`, dirname(path))
      yield* refresh
      assert.deepStrictEqual(warned(), ["missing", "missing"])
      assert.lengthOf(log.debug(), 2)
      rmSync(path)
      yield* refresh
      assert.deepStrictEqual(warned(), ["missing", "missing", "missing"])
    })
  )

  it.effect(
    "knows nothing while it is missing or damaged, with one warning, and is read once it is there",
    () =>
      Effect.gen(function* () {
        const { path, followed, refresh, warned } = yield* start(null)
        yield* refresh
        assert.isNull(cityOf(followed))
        assert.deepStrictEqual(warned(), ["missing"])
        writeFileSync(path, "damaged")
        yield* refresh
        yield* refresh
        assert.isNull(cityOf(followed))
        assert.deepStrictEqual(warned(), ["missing", "damaged"])
        replaceFile(path, database("London"))
        yield* refresh
        assert.strictEqual(cityOf(followed), "London")
      })
  )

  it.effect.skipIf(process.getuid?.() === 0)(
    "is read once its rights allow it (not as root, who may all)",
    () =>
      Effect.gen(function* () {
        const { path, followed, refresh, warned } = yield* start(null)
        writeFileSync(path, database("London"), { mode: 0 })
        yield* refresh
        yield* refresh
        assert.deepStrictEqual(warned(), ["missing", "unreadable"])
        chmodSync(path, 0o600)
        yield* refresh
        assert.strictEqual(cityOf(followed), "London")
      })
  )

  it.effect("warns once of a damaged record, without the address, and again once it was replaced", () =>
    Effect.gen(function* () {
      const damaged = () => writeMmdb({ "81.0.0.0/8": { country: pointer(2047) } })
      const { path, followed, refresh, log } = yield* start(damaged())
      assert.isNull(followed.get("81.2.69.142", 4))
      assert.isNull(followed.get("81.2.69.143", 4))
      yield* eventually("a warning", () => log.warnings().length > 0)
      assert.lengthOf(log.warnings(), 1)
      assert.strictEqual(log.warnings()[0]?.annotations.file, path)
      assert.notInclude(JSON.stringify(log.warnings()), "81.2.69")
      replaceFile(path, damaged())
      yield* refresh
      assert.isNull(followed.get("81.2.69.142", 4))
      yield* eventually("another warning", () => log.warnings().length > 1)
    })
  )

  it.effect("is not asked for a family that it does not hold", () =>
    Effect.gen(function* () {
      // Of an IPv6 address, a reader of an IPv4 tree would follow the first 32 bits: 2a02:… is 42.2.…
      const { followed } = yield* start(writeMmdb({ "42.2.0.0/16": cityRecord("HK", "Hong Kong") }))
      assert.isNotNull(followed.get("42.2.0.1", 4))
      assert.isNull(followed.get("2a02::1", 6))
    })
  )
})
