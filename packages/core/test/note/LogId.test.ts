import { isLogOrigin, logIdOf } from "@cairn/core/note"
import { assert, describe, it } from "@effect/vitest"

describe("the name of a log", () => {
  it("is that of its workspace below what the service was called", () => {
    assert.strictEqual(logIdOf("wsp_1"), "cairn/wsp_1")
    assert.strictEqual(logIdOf("wsp_1", "audit.example.com"), "audit.example.com/wsp_1")
  })

  it.each([
    "audit.example.com",
    "localhost",
    "a-b.example:8443",
    "example.com/logs/eu_1",
    "10.0.0.1",
    "xn--a.eu"
  ])("may be below %s", (origin) => assert.isTrue(isLogOrigin(origin)))

  it.each([
    ["a scheme", "https://audit.example.com"],
    ["a space", "audit example.com"],
    ["a plus sign, which ends a key's name", "audit+eu.example.com"],
    ["a line break, which ends the origin", "audit.example.com\n300"],
    ["a line break at its end", "audit.example.com\n"],
    ["a slash at its end", "audit.example.com/"],
    ["upper case", "Audit.example.com"],
    ["a query", "audit.example.com?x"],
    ["another script", "аudit.example.com"],
    ["an empty label", "audit..example.com"],
    ["nothing", ""],
    ["201 characters", "a".repeat(201)]
  ])("may not have %s", (_, origin) => assert.isFalse(isLogOrigin(origin)))
})
