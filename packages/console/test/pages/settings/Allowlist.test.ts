import { assert, describe, it } from "@effect/vitest"
import {
  EVERYWHERE,
  isLetIn,
  isOpen,
  linesOf,
  wrongLines
} from "../../../src/page/pages/settings/Allowlist.ts"

describe("An allowlist", () => {
  it("has a network on each line that says something", () => {
    assert.deepStrictEqual(linesOf(" 10.0.0.0/8 \n\n2001:db8::1\r\n"), ["10.0.0.0/8", "2001:db8::1"])
  })

  it("names the lines that are neither address nor network", () => {
    assert.deepStrictEqual(wrongLines(["10.0.0.0/8", "10.0.0.0/33", "example.com", "::1"]), [
      "10.0.0.0/33",
      "example.com"
    ])
  })

  it.each([
    ["192.0.2.7", ["192.0.2.0/24"], true],
    ["192.0.3.7", ["192.0.2.0/24"], false],
    ["2001:db8::7", ["10.0.0.0/8", "2001:db8::/32"], true],
    ["::ffff:192.0.2.7", ["192.0.2.7"], true],
    ["192.0.2.7", ["nonsense"], false],
    ["", ["0.0.0.0/0"], false]
  ] as const)("lets %s in by %j: %s", (address, lines, expected) => {
    assert.strictEqual(isLetIn(address, lines), expected)
  })

  it("is open if it is empty, or holds every address of both kinds", () => {
    assert.isTrue(isOpen([]))
    assert.isTrue(isOpen(EVERYWHERE))
    assert.isFalse(isOpen(["0.0.0.0/0"]))
    assert.isTrue(isLetIn("192.0.2.1", EVERYWHERE) && isLetIn("2001:db8::1", EVERYWHERE))
  })
})
