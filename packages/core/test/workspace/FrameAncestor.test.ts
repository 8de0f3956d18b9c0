import { isFrameAncestor, isOriginOf } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"

describe("who may have the viewer in a frame", () => {
  it.each([
    "https://app.example.com",
    "http://localhost:3000",
    "https://*.example.com:8443",
    "https://xn--bcher-kva.example",
    "HTTPS://App.Example.com",
    "app.example.com",
    "*.example.com:*",
    "https://127.0.0.1:8443",
    "https:",
    "*",
    "'self'"
  ])("is %s", (text) => {
    assert.isTrue(isFrameAncestor(text))
  })

  it.each([
    "",
    "https://a; script-src *",
    "https://a,b",
    "a b",
    "a\nb",
    "https://app.example.com\n",
    "*;",
    "a'",
    "'none'",
    "'unsafe-inline'",
    "https://app.example.com/",
    "https://app.example.com/embed",
    "https://app.*.com",
    "https://*.*.com",
    "https://app..com",
    "https://user@app.example.com",
    "https://app.example.com:port",
    "https://b\u00fccher.example",
    "https://a_b.example",
    "https://[::1]:80",
    "data:",
    "javascript:",
    "file://a"
  ])("is not %j, which would name nobody or another directive", (text) => {
    assert.isFalse(isFrameAncestor(text))
  })
})

describe("the origin of a page", () => {
  const cases: ReadonlyArray<
    readonly [source: string, is: ReadonlyArray<string>, not: ReadonlyArray<string>]
  > = [
    ["*", ["https://a.example", "http://a.example:1"], []],
    ["https:", ["https://a.example:1"], ["http://a.example"]],
    ["http:", ["https://a.example", "http://a.example"], []],
    [
      "https://a.example",
      ["https://a.example"],
      ["http://a.example", "https://a.example:444", "https://x.a.example"]
    ],
    ["HTTPS://A.example:443", ["https://a.example"], ["https://a.example:8443"]],
    ["http://a.example", ["http://a.example", "https://a.example"], ["http://a.example:8080"]],
    [
      "https://*.a.example:*",
      ["https://x.a.example:1", "https://x.y.a.example"],
      ["https://a.example", "https://xa.example"]
    ],
    ["a.example", ["https://a.example"], ["http://a.example"]],
    ["a.example:99999", [], ["https://a.example"]],
    ["'self'", [], ["https://a.example"]],
    ["https://a.example; script-src *", [], ["https://a.example"]]
  ]

  it("is one of the sources as an embedding page would be", () => {
    for (const [source, is, not] of cases) {
      for (const origin of is) assert.isTrue(isOriginOf(origin, [source], "https"), `${source} ${origin}`)
      for (const origin of not) assert.isFalse(isOriginOf(origin, [source], "https"), `${source} ${origin}`)
    }
    assert.isTrue(isOriginOf("http://a.example", ["a.example"], "http"))
  })

  it("is no origin if it is opaque, or anything but one", () => {
    for (const origin of [
      "null",
      "",
      "file://",
      "https://",
      "https://a.example/",
      "https://u@a.example",
      "https://a b",
      `https://${"a".repeat(400)}`
    ])
      assert.isFalse(isOriginOf(origin, ["*"], "https"), origin)
  })
})
