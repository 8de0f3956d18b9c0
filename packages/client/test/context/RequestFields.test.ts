import { assert, describe, it } from "@effect/vitest"
import { addressOf, forwardedAddress } from "../../src/context/RequestFields.ts"

describe("the address of an end user", () => {
  const written: ReadonlyArray<readonly [string | undefined, string | undefined]> = [
    ["192.0.2.1", "192.0.2.1"],
    [" 192.0.2.1:4711 ", "192.0.2.1"],
    ["2001:db8::1", "2001:db8::1"],
    ["[2001:db8::1]:4711", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["fe80::1%eth0", "fe80::1"],
    ["::ffff:192.0.2.1", "::ffff:192.0.2.1"],
    ["unknown", undefined],
    ["_hidden", undefined],
    ["192.0.2.999", undefined],
    ["192.0.2.1; DROP TABLE", undefined],
    ["", undefined],
    [undefined, undefined]
  ]
  for (const [text, address] of written) {
    it(`is ${address} of ${JSON.stringify(text)}`, () => assert.strictEqual(addressOf(text), address))
  }

  const forwarded: ReadonlyArray<readonly [string | undefined, number, string | undefined]> = [
    ["198.51.100.7", 1, "198.51.100.7"],
    // What the client wrote itself stands to the left.
    ["203.0.113.9, 198.51.100.7", 1, "198.51.100.7"],
    ["203.0.113.9, 198.51.100.7, 10.0.0.2", 2, "198.51.100.7"],
    ["198.51.100.7", 2, undefined],
    ["garbage, 10.0.0.2", 2, undefined],
    ["198.51.100.7", 0, undefined],
    [undefined, 1, undefined]
  ]
  for (const [header, proxies, address] of forwarded) {
    it(`is ${address} of ${JSON.stringify(header)} behind ${proxies} proxies`, () =>
      assert.strictEqual(forwardedAddress(header, proxies), address))
  }
})
