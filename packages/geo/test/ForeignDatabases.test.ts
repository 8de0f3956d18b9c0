import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { GeoIp, nowhere } from "@cairn/core/event"
import { MaxmindGeoIp } from "@cairn/geo"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { openDatabase } from "../src/Database.ts"
import { placeOf } from "../src/Place.ts"
import { makeLog } from "./Fixture.ts"

const foreign = process.env.CAIRN_FOREIGN
const databases = join(foreign ?? "", "vectors/geoip/test-data")
const sources = join(foreign ?? "", "vectors/geoip/source-data")

const addresses = [
  ["81.2.69.142", "2.125.160.216", "216.160.83.56", "89.160.20.112", "67.43.156.1", "1.1.1.1", "1.1.1.32"],
  ["2001:218::1", "2001:220::1", "2a02:ffc0::1", "::1.1.1.1", "2002:5102:458e::1"]
].flat()

const look = (file: string, ...asked: ReadonlyArray<string>) => {
  const log = makeLog()
  return Effect.map(GeoIp, ({ lookup }) => asked.map(lookup)).pipe(
    Effect.provide(MaxmindGeoIp.layer({ files: [file] })),
    Effect.provide(log.layer),
    Effect.map((places) => ({ places, warnings: log.warnings() }))
  )
}

/** What the record of a source file says, read here by its own light. */
interface Source {
  readonly country?: { readonly iso_code?: string }
  readonly city?: { readonly names?: { readonly en?: string } }
}

/** The networks of a source file; when one is given twice, the later counts, as it does in the database. */
const networksOf = (name: string) => {
  const list: ReadonlyArray<Record<string, Source>> = JSON.parse(readFileSync(join(sources, name), "utf8"))
  const networks = list.flatMap((item) => Object.entries(item))
  return networks.map(([cidr, source]) => {
    // IPv4 networks may be given as ::1.2.3.0/120, their place in an IPv6 tree.
    const [, text, bits] = /^::(\d+\.\d+\.\d+\.\d+)\/(\d+)$/.exec(cidr) ?? []
    const network = IpNetwork.fromStringUnsafe(text === undefined ? cidr : `${text}/${Number(bits) - 96}`)
    const place = { country: source.country?.iso_code ?? null, city: source.city?.names?.en ?? null }
    return { network, place }
  })
}

describe.skipIf(foreign === undefined)("MaxMind's test databases (needs CAIRN_FOREIGN)", () => {
  it.effect.each(["GeoLite2-City-Test", "GeoIP2-City-Test"])("%s: every network it was built from", (name) =>
    Effect.gen(function* () {
      const networks = networksOf(`${name}.json`)
      const asked = networks.flatMap(({ network }) => [
        IpNetwork.firstAddress(network),
        IpNetwork.lastAddress(network)
      ])
      const expected = asked.map((address) => {
        const within = networks.filter(({ network }) => IpNetwork.contains(network, address))
        const longest = Math.max(...within.map(({ network }) => network.prefixLength))
        return within.findLast(({ network }) => network.prefixLength === longest)?.place
      })
      const texts = asked.map((address) => NetAddress.formatIp(address))
      const { places, warnings } = yield* look(join(databases, `${name}.mmdb`), ...texts)
      assert.isAbove(asked.length, 400)
      assert.isAbove(new Set(places.map(({ city }) => city)).size, 5)
      texts.forEach((text, index) => {
        assert.deepStrictEqual(places[index], expected[index], text)
      })
      assert.isEmpty(warnings)
    })
  )

  it.effect("a country database knows no city, an ASN database no place", () =>
    Effect.gen(function* () {
      for (const edition of ["GeoLite2", "GeoIP2"]) {
        const { places } = yield* look(join(databases, `${edition}-Country-Test.mmdb`), "81.2.69.160")
        assert.deepStrictEqual(places, [{ country: "GB", city: null }])
      }
      const { places } = yield* look(join(databases, "GeoLite2-ASN-Test.mmdb"), "1.128.0.0", "81.2.69.160")
      assert.deepStrictEqual(places, [nowhere, nowhere])
    })
  )

  it.effect("the right country and not the registered one", () =>
    Effect.gen(function* () {
      const { places } = yield* look(
        join(databases, "GeoLite2-City-Test.mmdb"),
        "89.160.20.112",
        "67.43.156.1"
      )
      assert.deepStrictEqual(places, [
        { country: "SE", city: "Linköping" },
        { country: "BT", city: null }
      ])
    })
  )

  it.effect("a database whose tree cannot be whole is a warning", () =>
    Effect.gen(function* () {
      const file = join(databases, "GeoIP2-City-Test-Invalid-Node-Count.mmdb")
      const { places, warnings } = yield* look(file, ...addresses)
      for (const place of places) assert.deepStrictEqual(place, nowhere)
      assert.deepStrictEqual(
        warnings.map(({ annotations }) => [annotations.file, annotations.reason]),
        [[file, "damaged"]]
      )
    })
  )

  it.effect("a database with broken pointers is a warning when one is met", () =>
    Effect.gen(function* () {
      const file = join(databases, "MaxMind-DB-test-broken-pointers-24.mmdb")
      const { places, warnings } = yield* look(file, "1.1.1.32", "1.1.1.16")
      assert.deepStrictEqual(places, [nowhere, nowhere])
      assert.deepStrictEqual(
        warnings.map(({ annotations }) => annotations.file),
        [file]
      )
    })
  )

  it.effect("no other of them brings it down or makes it warn", () =>
    Effect.gen(function* () {
      const warned: Array<string> = []
      const names = readdirSync(databases).filter((name) => name.endsWith(".mmdb"))
      for (const name of names) {
        const { places, warnings } = yield* look(join(databases, name), ...addresses)
        if (warnings.length > 0) warned.push(name)
        for (const place of places) assert.hasAllKeys(place, ["country", "city"], name)
      }
      assert.isAbove(names.length, 15)
      assert.deepStrictEqual(warned.sort(), [
        "GeoIP2-City-Test-Invalid-Node-Count.mmdb",
        "MaxMind-DB-test-broken-pointers-24.mmdb"
      ])
    })
  )

  it("a damaged byte does not bring it down", () => {
    const whole = readFileSync(join(databases, "GeoLite2-City-Test.mmdb"))
    let known = 0
    for (let at = 0; at < whole.length; at += 17) {
      const damaged = Buffer.from(whole)
      damaged[at] = (damaged[at] ?? 0) ^ 0xff
      const database = openDatabase(damaged)
      if (Result.isFailure(database)) continue
      for (const record of addresses.map(database.success.get)) {
        const { country, city } = placeOf(Result.getOrNull(record))
        if (country !== null) assert.match(country, /^[A-Z]{2}$/)
        if (city !== null) known++
      }
    }
    assert.isAbove(known, 1_000)
  })
})
