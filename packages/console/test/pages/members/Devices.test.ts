import { assert, describe, it } from "@effect/vitest"
import { deviceOf, signInsOf } from "../../../src/page/pages/members/Devices.ts"

describe("A browser", () => {
  it.each([
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox, Linux"],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0",
      "Edge, Windows"
    ],
    [
      "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Mobile Safari/537.36",
      "Chrome, Android"
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
      "Safari, iOS"
    ],
    ["curl/8.5.0", "curl/8.5.0"]
  ])("that says %s is %s", (userAgent, name) => {
    assert.strictEqual(deviceOf(userAgent), name)
  })
})

describe("The last sign-ins of members", () => {
  it("are those of their newest sessions, with how many there are", () => {
    const found = signInsOf([
      { member_id: "ada", created_at: "3" },
      { member_id: "bob", created_at: "2" },
      { member_id: "ada", created_at: "1" }
    ])
    assert.deepStrictEqual(found.get("ada"), { last: "3", count: 2 })
    assert.deepStrictEqual(found.get("bob"), { last: "2", count: 1 })
    assert.isUndefined(found.get("eve"))
  })
})
