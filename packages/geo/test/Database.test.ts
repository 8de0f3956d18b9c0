import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { openDatabase } from "../src/Database.ts"
import { placeOf } from "../src/Place.ts"
import { cityRecord, encode, pointer, type Value, writeMmdb } from "./MmdbWriter.ts"

const london = cityRecord("GB", "London")
const brno = { country_code: "CZ", city: "Brno" }
const addresses = ["81.2.69.142", "1.1.1.1", "255.255.255.255", "0.0.0.0"]

const open = (data: Uint8Array) => openDatabase(Buffer.from(data))
const openWhole = (data: Uint8Array) => Result.getOrThrow(open(data))

describe("openDatabase", () => {
  it("finds records in IPv4 trees and in IPv6 trees, which hold IPv4 addresses too", () => {
    const four = openWhole(writeMmdb({ "81.0.0.0/8": london }))
    const six = openWhole(writeMmdb({ "81.0.0.0/8": london, "2a02:d280::/29": brno }, { version: 6 }))
    assert.deepStrictEqual(four.families, [4])
    assert.deepStrictEqual(six.families, [4, 6])
    for (const { get } of [four, six]) {
      assert.deepStrictEqual(get("81.0.0.0"), Result.succeed(london))
      assert.deepStrictEqual(get("81.255.255.255"), Result.succeed(london))
      assert.deepStrictEqual(get("80.255.255.255"), Result.succeed(null))
      assert.deepStrictEqual(get("82.0.0.0"), Result.succeed(null))
    }
    assert.deepStrictEqual(six.get("2a02:d287:ffff::1"), Result.succeed(brno))
    assert.deepStrictEqual(six.get("2a02:d288::"), Result.succeed(null))
  })

  it("says how many bytes it takes", () => {
    const data = writeMmdb({ "81.0.0.0/8": london })
    assert.strictEqual(openWhole(data).bytes, data.length)
  })

  it.each<[string, Record<string, Value>]>([
    ["another major version", { binary_format_major_version: 3 }],
    ["no version of IP", { ip_version: 5 }],
    ["a version of IP in words", { ip_version: "six" }],
    ["a record size that there is not", { record_size: 20 }],
    ["another record size than that of the tree", { record_size: 28 }],
    ["more nodes than fit", { node_count: 100 }],
    ["fewer nodes than there are", { node_count: 7 }],
    ["a list for the number of nodes", { node_count: [8] }]
  ])("refuses metadata with %s", (_, metadata) => {
    const data = writeMmdb({ "81.0.0.0/8": london }, { metadata })
    assert.isTrue(Result.isFailure(open(data)))
  })

  it("refuses what only looks like a database", () => {
    const whole = writeMmdb({ "81.0.0.0/8": london })
    const texts = ["", "not a database", "<html>404 Not Found</html>", "\xab\xcd\xefMaxMind.com"]
    const shifted = whole.subarray(1)
    const longTail = Buffer.concat([whole, new Uint8Array(129 * 1024)])
    for (const data of [...texts.map((text) => Buffer.from(text, "latin1")), shifted, longTail]) {
      assert.isTrue(Result.isFailure(open(data)), data.subarray(0, 20).toString("latin1"))
    }
    assert.isTrue(Result.isSuccess(open(whole)))
  })

  it("never throws, whichever byte is damaged", () => {
    const whole = writeMmdb({ "81.0.0.0/8": london, "1.0.0.0/8": { country_code: "AU", city: "Perth" } })
    let opened = 0
    let failures = 0
    for (let at = 0; at < whole.length; at++) {
      for (const flip of [0xff, 0x80, 0x20, 0x01]) {
        const damaged = Uint8Array.from(whole)
        damaged[at] = (damaged[at] ?? 0) ^ flip
        const database = open(damaged)
        if (Result.isFailure(database)) continue
        opened++
        for (const record of addresses.map(database.success.get)) {
          if (Result.isFailure(record)) failures++
          else assert.hasAllKeys(placeOf(record.success), ["country", "city"])
        }
      }
    }
    // Otherwise little of it was tried.
    assert.isAbove(opened, 400)
    assert.isAbove(failures, 40)
  })

  it("never throws, wherever the file ends", () => {
    const whole = writeMmdb({ "81.0.0.0/8": london })
    for (let end = 0; end < whole.length; end++) {
      const database = open(whole.subarray(0, end))
      if (Result.isSuccess(database)) for (const address of addresses) database.success.get(address)
    }
    assert.isTrue(Result.isSuccess(open(whole)))
  })

  it("decodes what many pointers name once", () => {
    // A chain of maps, each of which names the next one twice: 2⁶⁰ maps, if each were decoded each time.
    const link = (next: number) => encode({ a: pointer(next), b: pointer(next) })
    const size = link(0).length
    const links = Array.from({ length: 60 }, (_, index) => link((index + 1) * size))
    const { get } = openWhole(writeMmdb({ "81.0.0.0/8": Buffer.concat([...links, encode("the end")]) }))
    assert.isTrue(Result.isSuccess(get("81.2.69.142")))
  })

  it("fails on a record that contains itself", () => {
    const { get } = openWhole(writeMmdb({ "81.0.0.0/8": { a: pointer(0) } }))
    assert.isTrue(Result.isFailure(get("81.2.69.142")))
  })

  it("gives each address its own record, however many there are", () => {
    const networks = Array.from({ length: 5000 }, (_, index) => `81.${index >> 8}.${index & 255}.0`)
    const { get } = openWhole(
      writeMmdb(Object.fromEntries(networks.map((network) => [`${network}/24`, { city: network }])))
    )
    for (const network of [...networks, ...networks]) {
      assert.deepStrictEqual(get(network), Result.succeed({ city: network }))
    }
  })
})
