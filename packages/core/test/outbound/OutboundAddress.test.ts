import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import ipaddr from "ipaddr.js"
import {
  checkOutboundUrl,
  type OutboundPolicy,
  parseNetworks,
  refusalOf
} from "../../src/outbound/OutboundAddress.ts"

const generated = generatedTests(import.meta.url)

const strict: OutboundPolicy = { allow: [], http: false }
const allowing = (text: string, http = false): OutboundPolicy => ({
  allow: Result.getOrThrow(parseNetworks(text)),
  http
})

const verdict = (policy: OutboundPolicy, url: string): string => {
  const result = checkOutboundUrl(policy, url)
  return Result.isSuccess(result) ? "allowed" : result.failure.reason
}

describe("OutboundAddress", () => {
  it.each([
    ["this network", "0.0.0.0"],
    ["private", "10.0.0.1"],
    ["private", "172.16.0.1"],
    ["private", "172.31.255.255"],
    ["private", "192.168.255.255"],
    ["shared by carriers", "100.64.0.1"],
    ["a cloud's metadata", "100.100.100.200"],
    ["loopback", "127.0.0.1"],
    ["loopback", "127.255.255.254"],
    ["link-local", "169.254.0.1"],
    ["a cloud's metadata", "169.254.169.254"],
    ["a cloud's metadata", "168.63.129.16"],
    ["a cloud's metadata", "192.0.0.192"],
    ["documentation", "192.0.2.1"],
    ["benchmarks", "198.18.0.1"],
    ["multicast", "224.0.0.1"],
    ["multicast", "239.255.255.255"],
    ["reserved", "240.0.0.1"],
    ["broadcast", "255.255.255.255"],
    ["unspecified", "::"],
    ["loopback", "::1"],
    ["link-local", "fe80::1"],
    ["unique local", "fc00::1"],
    ["a cloud's metadata", "fd00:ec2::254"],
    ["multicast", "ff02::1"],
    ["IPv4-mapped loopback", "::ffff:127.0.0.1"],
    ["IPv4-mapped private", "::ffff:a00:1"],
    ["IPv4-compatible loopback", "::127.0.0.1"],
    ["NAT64 of a private address", "64:ff9b::a00:1"],
    ["NAT64 of the metadata address", "64:ff9b::169.254.169.254"],
    ["local NAT64", "64:ff9b:1::808:808"],
    ["6to4 of a private address", "2002:a00:1::1"],
    ["Teredo", "2001:0:53aa:64c::1"],
    ["documentation", "2001:db8::1"],
    ["documentation", "3fff::1"],
    ["site-local", "fec0::1"],
    ["not given out", "4000::1"]
  ])("refuses %s %s", (_, address) => assert.strictEqual(refusalOf(strict, address)?.reason, "not_public"))

  it.each([
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "223.255.255.255",
    "2606:4700::1111",
    "2a00:1450:4001::1",
    "::ffff:1.1.1.1",
    "64:ff9b::101:101"
  ])("allows %s", (address) => assert.isUndefined(refusalOf(strict, address)))

  it.each(["", "localhost", "fe80::1%eth0", "0x7f.1", "127.1", "010.0.0.1", "1.1.1.1 "])(
    "takes %j for no address",
    (text) => assert.strictEqual(refusalOf(strict, text)?.reason, "not_an_address")
  )

  it("makes the exceptions that it is told, in either spelling, and no others", () => {
    const policy = allowing("10.1.0.0/16, ::1, 192.168.1.1")
    for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::a01:203", "::1", "192.168.1.1"]) {
      assert.isUndefined(refusalOf(policy, address), address)
    }
    for (const address of ["10.2.0.0", "127.0.0.1", "192.168.1.2", "::2"]) {
      assert.isDefined(refusalOf(policy, address), address)
    }
  })

  it.each([
    ["https://example.com/hook", "allowed"],
    ["https://example.com:8443/hook?a=b", "allowed"],
    ["https://1.1.1.1/", "allowed"],
    ["http://example.com/", "scheme"],
    ["ftp://example.com/", "scheme"],
    ["file:///etc/passwd", "scheme"],
    ["javascript:alert(1)", "scheme"],
    ["https://user:secret@example.com/", "credentials_in_url"],
    ["example.com", "not_a_url"],
    ["https://", "not_a_url"],
    ["https://127.0.0.1/", "not_public"],
    ["https://2130706433/", "not_public"],
    ["https://0x7f000001/", "not_public"],
    ["https://0x7f.0.0.1/", "not_public"],
    ["https://017700000001/", "not_public"],
    ["https://0177.0.0.1/", "not_public"],
    ["https://127.1/", "not_public"],
    ["https://127.0.1/", "not_public"],
    ["https://１２７.0.0.1/", "not_public"],
    ["https://0/", "not_public"],
    ["https://127.0.0.1./", "not_public"],
    ["https://[::1]/", "not_public"],
    ["https://[0:0:0:0:0:0:0:1]/", "not_public"],
    ["https://[::ffff:127.0.0.1]/", "not_public"],
    ["https://[::ffff:7f00:1]/", "not_public"],
    ["https://[64:ff9b::7f00:1]/", "not_public"],
    ["https://[fe80::1]/", "not_public"],
    ["https://169.254.169.254/latest/meta-data/", "not_public"]
  ])("%s: %s", (url, expected) => assert.strictEqual(verdict(strict, url), expected))

  it("calls plain http when it is told to, and nothing worse", () => {
    assert.strictEqual(verdict(allowing("", true), "http://example.com/"), "allowed")
    assert.strictEqual(verdict(allowing("", true), "http://127.0.0.1/"), "not_public")
    assert.strictEqual(verdict(allowing("127.0.0.0/8", true), "http://127.0.0.1:8080/"), "allowed")
    assert.strictEqual(verdict(allowing("", true), "ftp://example.com/"), "scheme")
  })

  it.each(["10.0.0.0/33", "10.0.0.1/8", "internal", "10.0.0.0/8;::1"])(
    "%s is no list of networks",
    (text) => {
      assert.isTrue(Result.isFailure(parseNetworks(text)))
    }
  )

  it("lets through no address that another library's table calls special", () => {
    const near = FastCheck.constantFrom(
      ..."0 10 100 127 168 169 172 192 198 203 224 240 255".split(" ").map(Number),
      1
    )
    const byte = FastCheck.oneof(near, FastCheck.integer({ min: 0, max: 255 }))
    const word = FastCheck.oneof(
      FastCheck.constantFrom(
        0,
        1,
        0x64,
        0xff9b,
        0xffff,
        0x2001,
        0x2002,
        0x2620,
        0xdb8,
        0xfc00,
        0xfe80,
        0xff02
      ),
      FastCheck.integer({ min: 0, max: 0xffff })
    )
    const address = FastCheck.oneof(
      FastCheck.tuple(byte, byte, byte, byte).map((bytes) => bytes.join(".")),
      FastCheck.array(word, { minLength: 8, maxLength: 8 }).map((words) =>
        words.map((one) => one.toString(16)).join(":")
      )
    )
    let refused = 0
    generated.property(
      FastCheck.property(address, (text) => {
        // It calls every carried IPv4 address special; ours are judged by what they lead to.
        const parsed = ipaddr.process(text)
        const range = parsed.range()
        if (range === "rfc6052" || range === "unicast") return
        refused++
        assert.isDefined(refusalOf(strict, parsed.toString()), `${text} is ${range}`)
      }),
      { numRuns: 5_000 }
    )
    assert.isAbove(refused, 500)
  })
})
