import { assert, describe, it } from "@effect/vitest"
import { publicAddress } from "../src/PublicAddress.ts"

describe("publicAddress", () => {
  it.each([
    ["81.2.69.142", "81.2.69.142", 4],
    ["1.1.1.1", "1.1.1.1", 4],
    ["::ffff:81.2.69.142", "81.2.69.142", 4],
    ["::ffff:5102:458e", "81.2.69.142", 4],
    ["0:0:0:0:0:FFFF:81.2.69.142", "81.2.69.142", 4],
    ["2001:0218:0000::0001", "2001:218::1", 6],
    ["2A02:FFC0::", "2a02:ffc0::", 6]
  ])("gives %s in canonical spelling", (spelled, text, family) => {
    assert.deepStrictEqual(publicAddress(spelled), { text, family })
  })

  // The first and the last address of each network, or one that stands for it.
  it.each([
    ["this network", "0.0.0.0", "0.255.255.255", "::"],
    [
      "private",
      "10.0.0.0",
      "10.255.255.255",
      "172.16.0.0",
      "172.31.255.255",
      "192.168.0.0",
      "192.168.255.255"
    ],
    ["shared by carriers", "100.64.0.0", "100.127.255.255"],
    ["loopback", "127.0.0.1", "127.255.255.255", "::1"],
    ["link-local", "169.254.0.0", "169.254.255.255", "fe80::1", "febf:ffff::"],
    ["site-local", "fec0::1"],
    ["unique-local", "fc00::", "fd12:3456:789a::1", "fdff:ffff::"],
    ["multicast", "224.0.0.1", "239.255.255.255", "ff02::1"],
    ["benchmarks", "198.18.0.0", "198.19.255.255"],
    ["protocol assignments", "192.0.0.8"],
    ["reserved", "240.0.0.1", "255.255.255.255"],
    ["private in IPv6 spelling", "::ffff:10.0.0.1", "::ffff:c0a8:101", "::ffff:127.0.0.1", "::10.0.0.1"]
  ])("gives none that is internal: %s", (_, ...addresses) => {
    for (const address of addresses) assert.isUndefined(publicAddress(address), address)
  })

  it("gives those on either side of the internal networks", () => {
    const neighbours = [
      [
        "1.0.0.0",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0"
      ],
      ["169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0"],
      ["198.17.255.255", "198.20.0.0", "223.255.255.255", "2000::", "3fff:ffff::"]
    ].flat()
    for (const address of neighbours) assert.strictEqual(publicAddress(address)?.text, address)
  })

  it.each([
    "",
    " ",
    "AWS Internal",
    "localhost",
    "999.1.1.1",
    "81.2.69",
    "81.2.69.142.1",
    "081.2.69.142",
    "0x51.2.69.142",
    "1359103374",
    "81.2.69.142:443",
    " 81.2.69.142",
    "81.2.69.142\n",
    "[2001:218::1]",
    "2001:218::1%eth0",
    "2001:218::1/32",
    "2001:::1",
    "1:2:3:4:5:6:7:8:9",
    "٨١.2.69.142",
    "\ud800",
    "\0",
    ":".repeat(100_000)
  ])("gives none that is no address: %j", (text) => {
    assert.isUndefined(publicAddress(text))
  })
})
