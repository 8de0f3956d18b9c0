import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decodeDestination, redactDestination, SINKS } from "../src/Sinks.ts"

const decoded = (config: unknown) => Result.getOrThrow(decodeDestination(config))
const refusal = (config: unknown): string => {
  const result = decodeDestination(config)
  return Result.isFailure(result) ? result.failure.message : assert.fail("it was accepted")
}

describe("the destinations of log streams", () => {
  it("are these", () => {
    assert.deepStrictEqual(
      SINKS.map(({ type }) => type),
      ["https", "syslog", "s3", "splunk_hec", "file"]
    )
  })

  it.each([
    [null, "destination.type: must be one of https, syslog, s3, splunk_hec, file"],
    [{}, "destination.type: must be one of https, syslog, s3, splunk_hec, file"],
    [{ type: "fax" }, "destination.type: must be one of https, syslog, s3, splunk_hec, file"],
    [{ type: "https" }, "destination.url: is required"],
    [{ type: "https", url: 1 }, "destination.url: must be a string"],
    [
      { type: "https", url: "https://a.example/", authorization: "a\r\nX-Evil: 1" },
      "destination.authorization: must be 1 to 4096 characters on one line"
    ],
    [{ type: "splunk_hec", url: "https://a.example/" }, "destination.token: is required"],
    [{ type: "s3", bucket: "audit" }, "destination.access_key_id: is required"]
  ])("refuse %j: %s", (config, message) => assert.strictEqual(refusal(config), message))

  it("have their defaults filled in, and take null for what is left out", () => {
    const { config } = decoded({ type: "https", url: "https://a.example/", body: null, authorization: null })
    assert.deepStrictEqual(config, {
      type: "https",
      url: "https://a.example/",
      body: "ndjson",
      authorization: null
    })
    assert.deepStrictEqual(decoded(config).config, config, "what is stored can be read again")
  })

  it.each([
    [{ type: "https", url: "https://a.example/", authorization: "Bearer hidden" }],
    [{ type: "splunk_hec", url: "https://a.example/", token: "hidden" }],
    [{ type: "s3", bucket: "audit", access_key_id: "shown", secret_access_key: "hidden" }]
  ])("are shown without their secrets: %j", (config) => {
    const shown = JSON.stringify(redactDestination(decoded(config)))
    assert.notInclude(shown, "hidden")
    assert.include(shown, "***")
  })

  it("show that there is no secret where there is none", () => {
    const shown = redactDestination(decoded({ type: "https", url: "https://a.example/" }))
    assert.isNull(shown.authorization)
  })
})
