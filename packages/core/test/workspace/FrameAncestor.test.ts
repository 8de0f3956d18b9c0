import { isFrameAncestor } from "@cairn/core/workspace"
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
