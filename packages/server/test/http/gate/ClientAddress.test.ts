import { parseNetwork } from "@cairn/core/encoding"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { NetAddress } from "effect/net"
import { type ClientAddress, isWithin, subnetOf } from "../../../src/http/gate/ClientAddress.ts"

const address = (text: string): ClientAddress => {
  const ip = Result.getOrUndefined(NetAddress.ipFromString(text))
  return { text, ip: ip === undefined ? undefined : NetAddress.toCanonical(ip) }
}

describe("parseNetwork", () => {
  it("reads CIDRs and bare addresses of both families", () => {
    for (const text of [
      "0.0.0.0/0",
      "10.0.0.0/8",
      "192.0.2.1",
      "192.0.2.1/32",
      "::/0",
      "2001:db8::/32",
      "::1",
      "::1/128"
    ]) {
      assert.isDefined(parseNetwork(text), text)
    }
  })

  it("refuses what is none, and a prefix with bits set after it", () => {
    const wrong = [
      "",
      "*",
      "localhost",
      "10.0.0.0/33",
      "10.0.0.1/8",
      "10.0.0",
      "10.0.0.0/",
      "::/129",
      "2001:db8::1/32",
      "1.2.3.4/08"
    ]
    for (const text of wrong) assert.isUndefined(parseNetwork(text), text)
  })
})

describe("isWithin", () => {
  const within = (text: string, network: string) => {
    const parsed = parseNetwork(network)
    return parsed !== undefined && isWithin(address(text), [parsed])
  }

  it("takes an IPv4-mapped network for the IPv4 network that it means", () => {
    assert.isTrue(within("192.0.2.7", "::ffff:192.0.2.0/120"))
    assert.isFalse(within("192.0.3.7", "::ffff:192.0.2.0/120"))
    assert.isTrue(within("::ffff:192.0.2.7", "192.0.2.0/24"))
  })

  it("keeps the families apart", () => {
    assert.isFalse(within("10.0.0.1", "::/0"))
    assert.isFalse(within("::1", "0.0.0.0/0"))
  })

  it("holds for no address that is none", () => {
    assert.isFalse(within("", "0.0.0.0/0"))
    assert.isFalse(within("unix", "::/0"))
  })
})

describe("subnetOf", () => {
  it("is the address itself for IPv4 and the first 64 bits for IPv6", () => {
    assert.strictEqual(subnetOf(address("192.0.2.7")), "192.0.2.7")
    assert.strictEqual(subnetOf(address("2001:db8:0:1:2:3:4:5")), "2001:db8:0:1::/64")
    assert.strictEqual(subnetOf(address("2001:db8:0:1::9")), "2001:db8:0:1::/64")
    assert.strictEqual(subnetOf({ text: "", ip: undefined }), "")
  })
})
